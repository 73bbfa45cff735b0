/** `sql_query`: a SQL statement with positional placeholders. Its text is frozen at load; values are only ever bound. */
import type { Json } from '../../../kernel/contract/json.js';
import { definePlugin, type Finding } from '../../../kernel/contract/plugin.js';
import { accessorsIn } from '../../../kernel/language/accessor.js';
import { scanSql, type SqlFault, type SqlScan } from '../../../kernel/language/sql.js';
import { rewriteSql } from '../../../kernel/language/sql-rewrite.js';
import { anyJson, flag, list, shape, text, value } from '../../../kernel/schema/combinators.js';

const error = (title: string, message: string, help: string) => ({ severity: 'error' as const, title, message, help });
const warning = (title: string, message: string, help: string) => ({
  ...error(title, message, help),
  severity: 'warning' as const,
});

const TEXT = { say: 'the statement is the text `"query"`', rename: 'query' };
const VALUES = { say: 'values for `$1`, `$2`, ... are listed in `"parameters"`', rename: 'parameters' };
const MISTAKEN = {
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
    'The text is fixed when the definitions are loaded; values never become part of it. Placeholders may repeat and stand ' +
    'in any order, casts such as `$1::jsonb` are kept. An INSERT without RETURNING answers its row.',
  requires: ['dialect:*'],
  schema: shape(
    {
      query: text({
        doc: 'One SQL statement.',
        language: 'sql',
        binds: 'parameters',
        beside: { unique: 'unique', timestamps: 'with_timestamps', softDelete: 'soft_delete', each: 'multi' },
        examples: ['SELECT id, email FROM _user WHERE id = $1'],
      }).required(),
      parameters: list(
        value(null, {
          doc: 'A payload field, a name from another actionable, an accessor, or a literal.',
          refers: { symbol: 'name', soft: true },
        }),
        { doc: 'Values for `$1`, `$2`, ... in that order.', default: [], examples: [['email', '$DATETIME']] },
      ),
      unique: list(anyJson({ doc: 'A column, or a list of columns that are taken together.' }), {
        doc:
          'Columns whose values must be free. A unique index made from the model enforces it; a value that is taken is ' +
          'refused with 409.',
        since: '0.2.0',
        examples: [['email'], ['email', ['tenant', 'number']]],
      }),
      multi: anyJson({
        doc:
          'Runs the statement once for each item of a list, in one transaction; the result is a list. `true` takes the body ' +
          'itself when it is a list, otherwise the one list that the rules declare; a name says which list. Names in ' +
          '`parameters` mean fields of the item first.',
        since: '0.2.0',
        default: false,
        examples: [true, 'items'],
      }),
      with_timestamps: flag({
        doc: 'An INSERT also writes `created_at` and `updated_at`, an UPDATE `updated_at`, unless the statement does so itself.',
        since: '0.2.0',
        default: false,
      }),
      soft_delete: flag({
        doc: 'A DELETE keeps its rows and writes the time into `deleted_at` instead.',
        since: '0.2.0',
        default: false,
      }),
    },
    { form: '{"query": "SELECT id FROM _user WHERE id = $1", "parameters": ["id"]}', mistaken: MISTAKEN },
  ),
  check: ({ value: fields }) => checkStatement(fields),
  errors: {
    SQL_MULTI: error(
      'Not a list',
      '"multi" is true, false or the name of a list, not {actual}.',
      'Write `true`, or the name of a payload field or of an extracted value.',
    ),
    SQL_NO_COLUMNS: error(
      'Columns not listed',
      'This INSERT lists no columns, so `with_timestamps` cannot add any.',
      'List the columns behind the name of the table.',
    ),
    SQL_SOURCE: error(
      'Rows that cannot be extended',
      'The rows of this INSERT come from a source to which `with_timestamps` cannot add values.',
      'Write VALUES or SELECT.',
    ),
    SQL_NO_EFFECT: warning(
      'No effect',
      '"{field}" has no effect: the statement is no {verbs}.',
      'It looks at the main statement only, not at those inside a WITH list.',
    ),
    QRY_NO_LIST: {
      status: 422,
      title: 'List missing',
      message: '{what} must be a list.',
      help: 'The statement runs once for each item of a list, and the request has none at this place.',
    },
    QRY_ITEM: {
      status: 422,
      title: 'Item of the wrong form',
      message: 'An item of the list is not an object.',
      help: 'The statement reads fields of every item; `errors` points at the first item that has none.',
    },
    SQL_BROKEN: error('SQL is not complete', 'The SQL text is not complete: {what}.', 'Close what is open.'),
    SQL_EMPTY: error('No statement', 'There is no SQL statement here.', 'Write one statement.'),
    SQL_SEVERAL: error(
      'Several statements',
      'There are {count} statements here; one is allowed.',
      'Use one actionable for each statement.',
    ),
    SQL_ACCESSOR: error(
      'Accessor in SQL',
      '"{accessor}" stands inside the SQL text, where it would be plain text.',
      'Write a placeholder and put the accessor into `parameters`.',
    ),
    SQL_PLACEHOLDER_ZERO: error(
      'Placeholders start at 1',
      '$0 is not a placeholder; they start at $1.',
      'Number placeholders from 1.',
    ),
    SQL_PLACEHOLDER_COUNT: error(
      'Parameter missing',
      '${n} has no parameter: `parameters` lists {count}.',
      'Add the value, or correct the number.',
    ),
    SQL_PARAMETER_UNUSED: error(
      'Parameter not used',
      'No placeholder uses this parameter (it would be ${n}).',
      'Use it or remove it: a statement takes exactly the values that it has placeholders for.',
    ),
    SQL_QUOTED_PLACEHOLDER: warning(
      'Placeholder inside a string',
      '{text} stands inside a string, where it is plain text.',
      'Take it out of the quotes.',
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
      title: 'Deleted rows stay',
      json: { query: 'DELETE FROM _note WHERE id = $1', parameters: ['id'], soft_delete: true },
    },
  ],
  counterExamples: [
    {
      title: 'A number of times',
      json: { query: 'SELECT 1', multi: 3 },
      code: 'SQL_MULTI',
      at: '/multi',
    },
    {
      title: 'Columns not listed',
      json: { query: 'INSERT INTO _note VALUES (1)', with_timestamps: true },
      code: 'SQL_NO_COLUMNS',
      at: '/query',
    },
    {
      title: 'A soft deletion that deletes nothing',
      json: { query: 'SELECT 1', soft_delete: true },
      code: 'SQL_NO_EFFECT',
      at: '/soft_delete',
    },
    {
      title: 'A combination of something else than names',
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
      title: 'A value in the text',
      json: { query: "SELECT '$PAYLOAD.id'", parameters: [] },
      code: 'SQL_ACCESSOR',
      at: '/query',
    },
    { title: 'An open string', json: { query: "SELECT 'a", parameters: [] }, code: 'SQL_BROKEN', at: '/query' },
  ],
});

function checkStatement(fields: Readonly<Record<string, Json>>): Finding[] {
  const { query, parameters } = fields;
  if (typeof query !== 'string') return [];
  const scan = scanSql(query);
  const at = '/query';
  const findings: Finding[] = scan.faults.map(({ code, what, start, end }) => ({
    code: 'SQL_BROKEN',
    at,
    span: [start, end],
    params: { what: brokenWords(code, what) },
  }));
  for (const { root, tail, start, end } of accessorsIn(query)) {
    findings.push({
      code: 'SQL_ACCESSOR',
      at,
      span: [start, end],
      params: { accessor: [`$${root}`, ...tail].join('.') },
    });
  }
  if (scan.statements === 0 && scan.faults.length === 0) findings.push({ code: 'SQL_EMPTY', at });
  if (scan.statements > 1) findings.push({ code: 'SQL_SEVERAL', at, params: { count: scan.statements } });
  for (const { name, start, end } of scan.quotedPlaceholders) {
    findings.push({ code: 'SQL_QUOTED_PLACEHOLDER', at, span: [start, end], params: { text: name } });
  }
  const count = Array.isArray(parameters) ? parameters.length : 0;
  return [...findings, ...checkParameters(scan, count), ...checkSwitches(scan, fields), ...checkMulti(fields['multi'])];
}

function checkSwitches(scan: SqlScan, fields: Readonly<Record<string, Json>>): Finding[] {
  const timestamps = fields['with_timestamps'] === true;
  const softDelete = fields['soft_delete'] === true;
  if (scan.target === null && scan.verb === '') return [];
  const { fault, timestampsUsed, softDeleteUsed } = rewriteSql(scan, { timestamps, softDelete });
  const span = [scan.target?.start ?? 0, scan.target?.end ?? 0] as const;
  const findings: Finding[] = [];
  if (fault === 'no-columns') findings.push({ code: 'SQL_NO_COLUMNS', at: '/query', span });
  if (fault === 'source') findings.push({ code: 'SQL_SOURCE', at: '/query', span });
  const unused = (field: string, verbs: string): number =>
    findings.push({ code: 'SQL_NO_EFFECT', at: `/${field}`, params: { field, verbs } });
  if (timestamps && !timestampsUsed) unused('with_timestamps', 'INSERT and no UPDATE');
  if (softDelete && !softDeleteUsed) unused('soft_delete', 'DELETE');
  return findings;
}

function checkMulti(multi: Json | undefined): Finding[] {
  if (multi === undefined || typeof multi === 'boolean' || (typeof multi === 'string' && multi !== '')) return [];
  return [
    { code: 'SQL_MULTI', at: '/multi', params: { actual: multi === '' ? 'an empty text' : JSON.stringify(multi) } },
  ];
}

function brokenWords(code: SqlFault['code'], what: string): string {
  if (code === 'SQL_UNTERMINATED') return `this ${what} has no end`;
  return /^[([{]$/.test(what) ? `this "${what}" is not closed` : `nothing is open that this "${what}" could close`;
}

function checkParameters(scan: SqlScan, count: number): Finding[] {
  const findings: Finding[] = [];
  for (const { n, start, end } of scan.placeholders) {
    if (n === 0) findings.push({ code: 'SQL_PLACEHOLDER_ZERO', at: '/query', span: [start, end] });
    if (n > count)
      findings.push({ code: 'SQL_PLACEHOLDER_COUNT', at: '/query', span: [start, end], params: { n, count } });
  }
  const used = new Set(scan.placeholders.map(({ n }) => n));
  for (let n = 1; n <= count; n++) {
    if (!used.has(n)) findings.push({ code: 'SQL_PARAMETER_UNUSED', at: `/parameters/${n - 1}`, params: { n } });
  }
  return findings;
}
