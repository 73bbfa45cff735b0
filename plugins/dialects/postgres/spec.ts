/** Spec of the dialect `postgres`: a PostgreSQL server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { connectionFields, REJECTED_OR_STREAMED, serverFields } from '../shared/connection-fields.light.js';
import { dialectErrors, dialectRejections } from '../shared/errors.light.js';

export default definePlugin({
  kind: 'dialect',
  name: 'postgres',
  since: '0.1.0',
  summary: 'PostgreSQL, version 13 or later, with the driver `pg`.',
  details: [
    'Statements are prepared once per connection. Up to a third of the connections (at most four) are shared: reading',
    'statements are sent on them one after the other, without waiting for results. Writes, transactions and',
    'statements that have been slow use a connection alone. If commits do not wait for the disk (`synchronous_commit`',
    'is off), plain inserts share two more connections.',
    '',
    'BEGIN is sent together with the first statement of a transaction, and COMMIT with the last one if nothing after',
    'it can reject the request. A plain SELECT on which an UPDATE or DELETE of the same table depends locks its rows',
    '(`FOR NO KEY UPDATE`).',
    '',
    'Sessions use UTC; times are returned as ISO 8601 text. With a pooler in transaction mode, prepared statements',
    'must be supported (PgBouncer 1.21 or later with `max_prepared_statements` above 0), and the timeouts of sessions',
    'must be set for the role; docs/deployment.md has the statements.',
  ].join('\n'),
  facts: { schemes: ['postgres', 'postgresql'], returning: true, syntax: 'postgresql', embedded: false },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.DATABASE_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    ...connectionFields({
      poolSize: 'Connections for requests at most, shared ones included. The readiness check has one more.',
      results: REJECTED_OR_STREAMED,
    }),
    ...serverFields,
  }),
  openapi: () => ({ refuses: dialectRejections }),
  errors: dialectErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'postgres', url: '$ENV.DATABASE_URL' } },
    {
      title: 'A larger pool and a short deadline',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 20, statement_timeout: 5 },
    },
  ],
  counterExamples: [
    {
      title: 'A number as text',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 'ten' },
      code: 'DEF_TYPE',
      at: '/pool_size',
    },
    { title: 'No address', json: { use: 'postgres' }, code: 'DEF_REQUIRED', at: '' },
  ],
});
