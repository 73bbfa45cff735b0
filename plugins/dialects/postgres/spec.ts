/** Spec of the dialect `postgres`: a PostgreSQL server reached over the network. */
import { number, object, string } from 'yup';
import { definePlugin } from '../../../kernel/contract/plugin.js';
import { dialectErrors } from '../../kinds/dialect-errors.js';

export default definePlugin({
  kind: 'dialect',
  name: 'postgres',
  since: '0.1.0',
  summary: 'PostgreSQL, version 13 or later, through the driver `pg`.',
  details: [
    'Statements are prepared once per connection and sent by name. Up to a third of the connections (four at most) are',
    'shared: reading statements travel on them one behind the other without waiting for answers. Writes, transactions and',
    'reads that proved slow have a connection of their own.',
    '',
    'Sessions run in UTC; times come back as ISO 8601 text. A pooler between Lintel and the server must keep prepared',
    'statements (PgBouncer 1.21 or later, or session pooling).',
  ].join('\n'),
  facts: { returning: true, embedded: false },
  schema: object({
    url: string()
      .required()
      .meta({
        doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
        examples: ['$ENV.DATABASE_URL'],
        secret: true,
      }),
    pool_size: number()
      .integer()
      .min(1)
      .max(500)
      .default(10)
      .meta({ doc: 'Connections at most, shared ones included.', unit: 'connections', examples: [10] }),
    statement_timeout: number()
      .positive()
      .max(3600)
      .default(10)
      .meta({ doc: 'A statement that runs longer is stopped (`QRY_TIMEOUT`).', unit: 'seconds', examples: [10] }),
    pool_wait: number()
      .positive()
      .max(60)
      .default(2)
      .meta({
        doc: 'How long a request waits for a free connection before it is refused (`QRY_UNAVAILABLE`).',
        unit: 'seconds',
        examples: [2],
      }),
    idle_timeout: number()
      .positive()
      .max(3600)
      .default(30)
      .meta({ doc: 'Connections without work are closed after this time.', unit: 'seconds', examples: [30] }),
    isolation: string()
      .oneOf(['read committed', 'repeatable read', 'serializable'])
      .default('repeatable read')
      .meta({
        doc: 'Isolation of transactions. `read committed` lets a read-then-write pair lose updates unless it locks.',
        examples: ['repeatable read'],
      }),
  }),
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
      title: 'Numbers are written as numbers',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 'ten' },
      code: 'DEF_TYPE',
      at: '/pool_size',
    },
    { title: 'The address is needed', json: { use: 'postgres' }, code: 'DEF_REQUIRED', at: '' },
  ],
});
