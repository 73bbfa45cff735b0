/** Spec of `mongo_query`: a query written as an object. Operators come from the definition only. */
import { dialectErrors } from '../../dialects/shared/errors.light.js';
import { listErrors } from '../shared/list-errors.light.js';
import { describeDocumentQuery } from './api.light.js';
import { checkDocuments } from './check.light.js';
import { documentErrors } from './errors.light.js';
import { DOCUMENT_FORM } from './form.light.js';
import { definePlugin } from '../../../contract/plugin.js';
import { either, flag, list, shape, text, value } from '../../../contract/combinators.js';

const VALUES = { say: 'values for `"$1"`, `"$2"`, ... are listed in `"parameters"`', rename: 'parameters' };
const COLLECTION = { say: 'the collection is `"collection"`', rename: 'collection' };
const ACTION = { say: 'the operation is `"action"`', rename: 'action' };
const MISTAKEN = {
  sql: 'SQL stands in `"sql_query"`',
  params: VALUES,
  values: VALUES,
  args: VALUES,
  table: COLLECTION,
  model: COLLECTION,
  from: COLLECTION,
  operation: ACTION,
  op: ACTION,
  method: ACTION,
  many: '`"result": "one"` on the actionable asks for one document only',
};

const DATES =
  'An INSERT also writes `created_at` and `updated_at`, an UPDATE `updated_at`, unless the query does so itself.';
const createColumnField = () =>
  text({ doc: 'A field.', examples: ['email'], complete: { source: 'model-field' } }).required();

export default definePlugin({
  kind: 'query',
  name: 'mongo_query',
  since: '0.5.0',
  summary: 'A query on a collection of documents, with the operators of MongoDB.',
  details:
    'Values inside predicates are literals, accessors, or `"$1"`, `"$2"`, ... for the entries of `parameters`. A ' +
    'value of a request is never read as an operator.',
  requires: ['document-store:*', 'document-action:*'],
  schema: shape({
    collection: text({
      doc: 'The collection. A model may be written by its name, without the underscore, or in the plural.',
      language: 'collection',
      store: 'document-store',
      binds: 'parameters',
      documents: DOCUMENT_FORM,
      beside: {
        connection: 'connection',
        unique: 'unique',
        timestamps: ['with_timestamp', 'with_timestamps'],
        softDelete: 'soft_delete',
        each: 'multi',
      },
      examples: ['users'],
    })
      .required()
      .matches(/^[A-Za-z_][A-Za-z0-9_.-]{0,119}$/),
    parameters: list(
      value(null, {
        doc: 'A payload field, a name from another actionable, an accessor, or a value; write a constant text as `{"literal": "new"}`.',
        verbatim: true,
        examples: ['email', '$DATETIME', { literal: 'new' }, 5],
        refers: { symbol: 'name', soft: true, firm: { field: 'action', is: 'INSERT', without: 'document' } },
      }),
      {
        doc: 'Values for `"$1"`, `"$2"`, ..., in this order. For an INSERT without `document`, each entry is a field.',
        default: [],
        examples: [['email', '$DATETIME']],
      },
    ),
    connection: text({
      doc: 'The document store of the config. Default: the one that the model names, or `main`.',
      complete: { source: 'connection', of: 'document-store' },
      default: 'main',
      examples: ['archive'],
    }).min(1),
    with_timestamp: flag({ doc: DATES, default: false }),
    with_timestamps: flag({ doc: `Another name for it, as in \`sql_query\`. ${DATES}`, default: false }),
    unique: list(
      either([createColumnField(), list(createColumnField(), { doc: 'A combination of fields.' }).min(1)], {
        doc: 'A field, or a combination of fields.',
      }),
      {
        doc:
          'Fields whose values must be unique. A unique index from the model enforces it; an existing value is rejected ' +
          'with 409.',
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
          'Runs the query once for each item of a list, in one transaction if the deployment supports them; the result is a list. ' +
          '`true` means the body if it is a list, or else the only list that the rules declare; a name selects a ' +
          'list. Names in `parameters` refer to fields of the item first.',
        default: false,
        examples: [true, 'items'],
      },
    ),
  }).meta({
    doc: 'The operation and its documents.',
    parts: ['mongo_query'],
    mistaken: MISTAKEN,
    form: '{"collection": "users", "action": "FETCH", "filter_predicate": {"email": "$PAYLOAD.email"}}',
  }),
  check: checkDocuments,
  openapi: describeDocumentQuery,
  errors: {
    ...documentErrors,
    MQL_WRONG: {
      status: 500,
      title: 'Query that cannot be planned',
      message: 'This query of documents cannot be planned: {what}.',
      help: 'Operators, names and the shape of a query come from the definition; values of a request may only be values.',
    },
    MQL_KEY: {
      status: 422,
      title: 'Name not allowed',
      message: 'A name in the value cannot be stored in a document.',
      help: 'Names inside documents that a client sends must not begin with `$`, contain a dot or a NUL character, or be `__proto__`.',
    },
    // The same text as for SQL statements.
    QRY_BAD_VALUE: dialectErrors.QRY_BAD_VALUE,
    QRY_TOO_WIDE: listErrors.QRY_TOO_WIDE,
    QRY_NO_LIST: listErrors.QRY_NO_LIST,
    QRY_ITEM: listErrors.QRY_ITEM,
  },
  examples: [
    {
      title: 'Read by a field',
      json: { collection: '_user', action: 'FETCH', filter_predicate: { email: '$PAYLOAD.email' } },
    },
  ],
  counterExamples: [
    {
      title: 'Text that is no name',
      json: { collection: '_user', action: 'FETCH', filter_predicate: { kind: '$1' }, parameters: ['two words'] },
      code: 'LNK_NO_SOURCE',
      at: '/parameters/0',
    },
    { title: 'No collection', json: { action: 'FETCH' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'No such action',
      json: { collection: '_user', action: 'GET' },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/action',
    },
  ],
});
