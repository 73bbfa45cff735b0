/** Spec of the document store `mongodb`: a MongoDB server or replica set. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape, text, value } from '../../../contract/combinators.js';
import { resultFields } from '../../dialects/shared/connection-fields.light.js';
import { dialectErrors, dialectRefusals } from '../../dialects/shared/errors.light.js';

export default definePlugin({
  kind: 'document-store',
  name: 'mongodb',
  since: '0.5.0',
  aliases: ['mongo'],
  summary: 'MongoDB, version 5 or later, through the driver `mongodb`.',
  details: [
    'What is acknowledged lies on disk on a majority of the servers (`w: "majority"`, `j: true`), and what is read was',
    'acknowledged. Writes that a broken connection interrupts are repeated once by the driver, where that is safe.',
    '',
    'A replica set, be it of one server, has transactions: adjacent queries of a request are one, with a snapshot of their own, and',
    'who writes what another transaction has written since is refused and tried again. A server that stands alone has none: every',
    'query stands for itself, an UPDATE or DELETE of many documents may be seen half done, and the log says so at the start.',
    '',
    'Models become rules of the collections (`$jsonSchema`): required fields, types, `max_length`. Fields that a model does not',
    'name stay allowed. Documents that were there before are judged once they are right (`validationLevel: "moderate"`). Unique',
    'indexes hold the documents that have a value there, so that many may lack it, as in SQL. All `fts` fields of a collection share',
    'one index of words. A key of the model (`id`) may be left out: every document has its `_id`.',
    '',
    'Numbers come back as numbers; those that a double cannot hold exactly as text. Binary values come back as base64, UUIDs in',
    'their usual form.',
  ].join('\n'),
  facts: { embedded: false },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the servers, with the password and the database. Keep it in the environment.',
      examples: ['$ENV.MONGO_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    database: text({ doc: 'Name of the database, where the address has none.', default: 'lintel' })
      .min(1)
      .max(60)
      .matches(/^[A-Za-z0-9_-]+$/),
    pool_size: numeric({ doc: 'Connections to one server at most.', unit: 'connections', default: 10 })
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
      doc: 'How long a request waits for a server or a free connection before it is refused (`QRY_UNAVAILABLE`).',
      unit: 'seconds',
      default: 2,
    })
      .min(0.001)
      .max(60),
    idle_timeout: numeric({ doc: 'Connections without work are closed after this time.', unit: 'seconds', default: 30 })
      .min(0.001)
      .max(3600),
  }),
  openapi: () => ({ refuses: dialectRefusals }),
  errors: dialectErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'mongodb', url: '$ENV.MONGO_URL' } },
    {
      title: 'A larger pool and a short deadline',
      json: { use: 'mongodb', url: '$ENV.MONGO_URL', database: 'shop', pool_size: 20, statement_timeout: 5 },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'mongodb' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Numbers are written as numbers',
      json: { use: 'mongodb', url: '$ENV.MONGO_URL', pool_size: 'ten' },
      code: 'DEF_TYPE',
      at: '/pool_size',
    },
  ],
});
