/** Spec of the queue `postgres`: tables on a server shared by several processes. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape, value } from '../../../contract/combinators.js';
import { queueFields } from '../shared/fields.light.js';
import { queueErrors } from '../kind.js';

export default definePlugin({
  kind: 'queue',
  name: 'postgres',
  since: '0.4.0',
  aliases: ['pg', 'postgresql', 'pg-boss', 'pgboss'],
  summary: 'A queue in a PostgreSQL server, version 13 or later, run by `agenda`.',
  details: [
    'Jobs lie in a table of Agenda (`lintel_jobs`), so that its tools see them, under the name `lintel`; `lintel_job_marks` stands beside',
    'it. The queue makes both, and its own connections. Where it lies in the database of the connection `main`, work that is accepted',
    'inside a transaction is there if the transaction commits, and only then.',
    '',
    'Work runs at least once: the process that does it holds a lease, and what it ends in counts only while the lease is held.',
    'Among work that is due the higher priority runs first. Processes wake one another (`LISTEN`, `NOTIFY`).',
    '',
    'A server that is away does not stop the start: requests that ask for work are refused (`JOB_AWAY`) until it is back.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.DATABASE_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    pool_size: numeric({
      doc: 'Connections of the queue at most, beside one that listens.',
      unit: 'connections',
      default: 4,
    })
      .integer()
      .min(1)
      .max(100),
    ...queueFields(1),
  }),
  openapi: () => ({ refuses: ['JOB_AWAY', 'JOB_TOO_LARGE'] }),
  errors: {
    ...queueErrors,
    JOB_POSTGRES_ADDRESS: {
      title: 'Address of the queue',
      message: 'The address of the queue is not a PostgreSQL address.',
      help: 'Write `postgres://user:password@host:5432/database` in the variable that `url` names.',
      status: 500,
    },
    JOB_POSTGRES_REFUSED: {
      title: 'Queue login rejected',
      message: 'The server of the queue rejected the login, or does not have the database.',
      help: 'User, password and database are in the variable that `url` names. The log has the message of the server.',
      status: 500,
    },
  },
  examples: [
    { title: 'Address from the environment', json: { use: 'postgres', url: '$ENV.DATABASE_URL' } },
    {
      title: 'More at a time, and given up later',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', concurrency: 25, lease: 60 },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'postgres' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Numbers are written as numbers',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', concurrency: 'many' },
      code: 'DEF_TYPE',
      at: '/concurrency',
    },
  ],
});
