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
    'Jobs are stored in a table of Agenda (`lintel_jobs`) under the name `lintel`, so its tools can show them, and in',
    '`lintel_job_marks`. The queue creates both tables, and has its own connections. If it uses the database of the',
    'connection `main`, jobs that are accepted inside a transaction are committed with it.',
    '',
    'Jobs run at least once: a process that runs one has a lease, and its result counts only while it has the lease.',
    'Of the jobs that are due, those with a higher priority run first. Processes notify each other of new jobs',
    '(`LISTEN`, `NOTIFY`).',
    '',
    'An unavailable server does not prevent the start: requests with jobs are rejected (`JOB_AWAY`) until it is',
    'available.',
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
      doc: 'Maximum number of connections of the queue, in addition to one that listens.',
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
      title: 'More jobs at a time, with a longer lease',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', concurrency: 25, lease: 60 },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'postgres' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A number as text',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', concurrency: 'many' },
      code: 'DEF_TYPE',
      at: '/concurrency',
    },
  ],
});
