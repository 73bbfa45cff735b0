/** A MongoDB server or replica set. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape, text, value } from '../../../contract/combinators.js';
import { resultFields } from '../../dialects/shared/connection-fields.light.js';
import { dialectErrors, dialectRejections } from '../../dialects/shared/errors.light.js';

export default definePlugin({
  kind: 'document-store',
  name: 'mongodb',
  since: '0.5.0',
  packages: ['mongodb'],
  aliases: ['mongo'],
  summary: 'MongoDB, version 5 or later, with the driver `mongodb`.',
  details: [
    'Acknowledged writes are on disk on a majority of the servers (`w: "majority"`, `j: true`), and reads return only',
    'acknowledged data. The driver retries writes once after a broken connection, where that is safe.',
    '',
    'A replica set, even with one server, has transactions: adjacent queries of a request run in one, with its own',
    'snapshot. If another transaction has changed the same document since, the transaction is aborted and retried. A',
    'standalone server has no transactions: every query runs on its own, an UPDATE or DELETE of many documents may be',
    'visible when it is partly done, and a warning is logged at the start.',
    '',
    'Models become validation rules of the collections (`$jsonSchema`): required fields, types, `max_length`. Other',
    'fields are allowed. Existing documents are validated only once they are valid (`validationLevel: "moderate"`).',
    'Unique indexes contain only documents with a value, so that many may have none, as in SQL. All `fts` fields of a',
    'collection share one text index. A key of the model (`id`) may be left out: every document has its `_id`.',
    '',
    'Numbers are returned as numbers, or as text if a double cannot represent them exactly. Binary values are',
    'returned as base64, UUIDs in their usual form.',
  ].join('\n'),
  facts: { embedded: false },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the servers, with the password and the database. Keep it in the environment.',
      examples: ['$ENV.MONGO_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    database: text({ doc: 'Name of the database, if the address has none.', default: 'lintel' })
      .min(1)
      .max(60)
      .matches(/^[A-Za-z0-9_-]+$/),
    pool_size: numeric({
      doc: 'Maximum number of connections to one server; the readiness check has one more.',
      unit: 'connections',
      default: 10,
    })
      .integer()
      .min(1)
      .max(500),
    ...resultFields,
    statement_timeout: numeric({
      doc: 'A call that runs longer is stopped (`QRY_TIMEOUT`).',
      unit: 'seconds',
      default: 10,
    })
      .min(0.001)
      .max(3600),
    pool_wait: numeric({
      doc: 'How long a request waits for a server or a free connection before it is rejected (`QRY_UNAVAILABLE`).',
      unit: 'seconds',
      default: 2,
    })
      .min(0.001)
      .max(60),
    idle_timeout: numeric({ doc: 'Idle connections are closed after this time.', unit: 'seconds', default: 30 })
      .min(0.001)
      .max(3600),
  }),
  openapi: () => ({ refuses: dialectRejections }),
  errors: dialectErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'mongodb', url: '$ENV.MONGO_URL' } },
    {
      title: 'A larger pool and a short deadline',
      json: { use: 'mongodb', url: '$ENV.MONGO_URL', database: 'shop', pool_size: 20, statement_timeout: 5 },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'mongodb' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A number as text',
      json: { use: 'mongodb', url: '$ENV.MONGO_URL', pool_size: 'ten' },
      code: 'DEF_TYPE',
      at: '/pool_size',
    },
  ],
});
