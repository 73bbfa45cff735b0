/** Spec of `sql_query`: a SQL statement with positional placeholders. Values are always bound. */
import { definePlugin } from '../../../contract/plugin.js';
import { describeStatement } from './api.light.js';
import { either, flag, list, shape, text, value } from '../../../contract/combinators.js';
import { listErrors } from '../shared/list-errors.light.js';
import { checkStatement } from './check.light.js';
import { sql } from './language.light.js';

const createError = (title: string, message: string, help: string) => ({
  severity: 'error' as const,
  title,
  message,
  help,
});
const createWarning = (title: string, message: string, help: string) => ({
  ...createError(title, message, help),
  severity: 'warning' as const,
});

const createColumnField = () =>
  text({ doc: 'A column.', examples: ['email'], complete: { source: 'model-field' } }).required();

const TEXT = { say: 'the statement is the text `"query"`', rename: 'query' };
const VALUES = { say: 'values for `$1`, `$2`, ... are listed in `"parameters"`', rename: 'parameters' };
const DOCUMENTS = 'documents are queried by `"mongo_query"`';
const MISTAKEN = {
  collection: DOCUMENTS,
  action: DOCUMENTS,
  filter_predicate: DOCUMENTS,
  update_predicate: DOCUMENTS,
  pipeline: DOCUMENTS,
  sql: TEXT,
  statement: TEXT,
  text: TEXT,
  params: VALUES,
  param: VALUES,
  values: VALUES,
  args: VALUES,
  bindings: VALUES,
  table: 'the table stands in the text of `"query"`: `SELECT id FROM _user`',
};

export default definePlugin({
  kind: 'query',
  name: 'sql_query',
  since: '0.1.0',
  summary: 'A SQL statement with placeholders `$1`, `$2`, ... bound to `parameters`.',
  details:
    'The SQL is fixed when the definitions are loaded; values never become part of it. Placeholders may repeat and be ' +
    'in any order, and casts such as `$1::jsonb` are allowed. An INSERT without RETURNING returns its row.',
  requires: ['dialect:*'],
  schema: shape(
    {
      query: text({
        doc: 'One SQL statement.',
        language: 'sql',
        store: 'dialect',
        binds: 'parameters',
        beside: {
          connection: 'connection',
          unique: 'unique',
          timestamps: 'with_timestamps',
          softDelete: 'soft_delete',
          each: 'multi',
        },
        examples: ['SELECT id, email FROM _user WHERE id = $1'],
      }).required(),
      parameters: list(
        value(null, {
          doc: 'A payload field, a name from another actionable, an accessor, or a value; write a constant text as `{"literal": "new"}`.',
          verbatim: true,
          examples: ['email', '$DATETIME', { literal: 'new' }, 5],
          refers: { symbol: 'name', soft: true },
        }),
        { doc: 'Values for `$1`, `$2`, ..., in this order.', default: [], examples: [['email', '$DATETIME']] },
      ),
      unique: list(
        either([createColumnField(), list(createColumnField(), { doc: 'A combination of columns.' }).min(1)], {
          doc: 'A column, or a combination of columns.',
        }),
        {
          doc:
            'Columns whose values must be unique. A unique index from the model enforces it; an existing value is ' +
            'rejected with 409.',
          since: '0.2.0',
          examples: [['email'], ['email', ['tenant', 'number']]],
        },
      ),
      multi: either(
        [
          flag({ doc: 'For the only list.' }),
          text({ doc: 'The name of the list.', complete: { source: 'payload-field' } }).min(1),
        ],
        {
          doc:
            'Runs the statement once for each item of a list, in one transaction; the result is a list. `true` means the body ' +
            'if it is a list, or else the only list that the rules declare; a name selects a list. Names in ' +
            '`parameters` refer to fields of the item first.',
          since: '0.2.0',
          default: false,
          examples: [true, 'items'],
        },
      ),
      with_timestamps: flag({
        doc: 'An INSERT also writes `created_at` and `updated_at`, an UPDATE `updated_at`, unless the statement does so itself.',
        since: '0.2.0',
        default: false,
      }),
      connection: text({
        doc: 'The connection of the config for the statement. Default: the one that its model names, or `main`.',
        complete: { source: 'connection', of: 'dialect' },
        since: '0.5.0',
        default: 'main',
        examples: ['reports'],
      }).min(1),
      soft_delete: flag({
        doc: 'A DELETE writes the time into `deleted_at` instead of removing the rows.',
        since: '0.2.0',
        default: false,
      }),
    },
    { form: '{"query": "SELECT id FROM _user WHERE id = $1", "parameters": ["id"]}', mistaken: MISTAKEN },
  ),
  check: ({ value: fields }) => checkStatement(fields),
  openapi: describeStatement,
  language: sql,
  errors: {
    SQL_NO_COLUMNS: createError(
      'Columns not listed',
      'This INSERT lists no columns, so `with_timestamps` cannot add any.',
      'List the columns after the name of the table.',
    ),
    SQL_SOURCE: createError(
      'Rows that cannot be extended',
      'The rows of this INSERT come from a source to which `with_timestamps` cannot add values.',
      'Write VALUES or SELECT.',
    ),
    SQL_NO_EFFECT: createWarning(
      'No effect',
      '"{field}" has no effect: the statement is no {verbs}.',
      'It looks at the main statement only, not at those inside a WITH list.',
    ),
    SQL_NOT_ENCRYPTED: {
      status: 500,
      title: 'Value that is not encrypted',
      message: 'A value for "{column}" is not encrypted, and is not stored.',
      help: 'The column has a blind index. Encrypt the value in the actionable that writes it: `ciphers` with `"operation": "Encrypt"`.',
    },
    ...listErrors,
    SQL_BROKEN: createError('SQL is not complete', 'The SQL text is not complete: {what}.', 'Close what is open.'),
    SQL_EMPTY: createError('No statement', 'There is no SQL statement here.', 'Write one statement.'),
    SQL_SEVERAL: createError(
      'Several statements',
      'There are {count} statements here; one is allowed.',
      'Use one actionable for each statement.',
    ),
    SQL_ACCESSOR: createError(
      'Accessor in SQL',
      '"{accessor}" stands inside the SQL text, where it would be plain text.',
      'Write a placeholder and put the accessor into `parameters`.',
    ),
    SQL_PLACEHOLDER_ZERO: createError(
      'Placeholders start at 1',
      '$0 is not a placeholder; they start at $1.',
      'Number placeholders from 1.',
    ),
    SQL_PLACEHOLDER_COUNT: createError(
      'Parameter missing',
      '${n} has no parameter: `parameters` lists {count}.',
      'Add the value, or correct the number.',
    ),
    SQL_PARAMETER_UNUSED: createError(
      'Parameter not used',
      'No placeholder uses this parameter (it would be ${n}).',
      'Use it or remove it: a statement takes exactly the values that it has placeholders for.',
    ),
    SQL_QUOTED_PLACEHOLDER: createWarning(
      'Placeholder inside a string',
      '{text} stands inside a string, where it is plain text.',
      'Take it out of the quotes.',
    ),
    SQL_SORTS_NOTHING: createWarning(
      'Rows are not sorted',
      '{text} is one value for all rows, so it sorts nothing: a value is never the name of a column.',
      "Write a CASE for each column that may sort, such as `ORDER BY CASE WHEN $1 = 'name' THEN name END`.",
    ),
    SQL_NEVER_TRUE: createWarning(
      'Comparison with NULL',
      '"{text}" is never true: any comparison with NULL gives NULL.',
      'Write `IS NULL` or `IS NOT NULL`.',
    ),
  },
  examples: [
    { title: 'Read by key', json: { query: 'SELECT id, email FROM _user WHERE id = $1', parameters: ['$PAYLOAD.id'] } },
    {
      title: 'Write with a cast and a generated id',
      json: { query: 'INSERT INTO _note (id, tags) VALUES ($1, $2::jsonb)', parameters: ['$GENERATOR.ULID', 'tags'] },
    },
    {
      title: 'Many rows, dated',
      json: {
        query: 'INSERT INTO _note (id, text) VALUES ($1, $2)',
        parameters: ['$GENERATOR.ULID', 'text'],
        multi: true,
        with_timestamps: true,
      },
    },
    {
      title: 'A constant text',
      json: {
        query: 'INSERT INTO _note (id, kind) VALUES ($1, $2)',
        parameters: ['$GENERATOR.ULID', { literal: 'new' }],
      },
    },
    {
      title: 'Soft deletion',
      json: { query: 'DELETE FROM _note WHERE id = $1 AND deleted_at IS NULL', parameters: ['id'], soft_delete: true },
    },
  ],
  counterExamples: [
    {
      title: 'A number instead of true',
      json: { query: 'SELECT 1', multi: 3 },
      code: 'DEF_TYPE',
      at: '/multi',
    },
    {
      title: 'Columns not listed',
      json: { query: 'INSERT INTO _note VALUES (1)', with_timestamps: true },
      code: 'SQL_NO_COLUMNS',
      at: '/query',
    },
    {
      title: 'A soft deletion without a DELETE',
      json: { query: 'SELECT 1', soft_delete: true },
      code: 'SQL_NO_EFFECT',
      at: '/soft_delete',
    },
    {
      title: 'A combination that contains no names',
      json: { query: 'INSERT INTO _note (id) VALUES (1)', unique: [['id', 1]] },
      code: 'DEF_TYPE',
      at: '/unique/0/1',
    },
    {
      title: 'Too few parameters',
      json: { query: 'SELECT $1, $2', parameters: ['a'] },
      code: 'SQL_PLACEHOLDER_COUNT',
      at: '/query',
    },
    {
      title: 'Two statements',
      json: { query: 'SELECT 1; DELETE FROM _user', parameters: [] },
      code: 'SQL_SEVERAL',
      at: '/query',
    },
    {
      title: 'An accessor in the SQL',
      json: { query: "SELECT '$PAYLOAD.id'", parameters: [] },
      code: 'SQL_ACCESSOR',
      at: '/query',
    },
    {
      title: 'Text that is no name',
      json: { query: 'SELECT $1::text AS text', parameters: ['joined the circle'] },
      code: 'LNK_NO_SOURCE',
      at: '/parameters/0',
    },
    {
      title: 'A value as the sort key',
      json: { query: 'SELECT id FROM _note ORDER BY $1', parameters: ['$PAYLOAD.sort'] },
      code: 'SQL_SORTS_NOTHING',
      at: '/query',
    },
    {
      title: 'A comparison with NULL',
      json: { query: 'SELECT id FROM _note WHERE deleted_at = NULL' },
      code: 'SQL_NEVER_TRUE',
      at: '/query',
    },
    {
      title: 'A string that is not closed',
      json: { query: "SELECT 'a", parameters: [] },
      code: 'SQL_BROKEN',
      at: '/query',
    },
  ],
});
