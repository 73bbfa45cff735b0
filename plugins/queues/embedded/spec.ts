/** The queue `embedded`: tables in the embedded database, the default without a server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { queueFields } from '../shared/fields.light.js';
import { queueErrors } from '../kind.js';

export default definePlugin({
  kind: 'queue',
  name: 'embedded',
  since: '0.4.0',
  aliases: ['pglite', 'local', 'memory', 'in-memory', 'file'],
  summary: 'A queue in the embedded database of the project, run by `agenda`: nothing to install, durable on disk.',
  details: [
    'For development, tests and small installations. Jobs are stored in a table of Agenda (`lintel_jobs`) and in',
    '`lintel_job_marks`, in the data folder of a `pglite` connection: `main`, or the one that `connection` names.',
    'With a server, write `"queue": { "use": "postgres", ... }`. It has the same guarantees as the queue `postgres`,',
    'for one process.',
    '',
    'The embedded database runs one transaction at a time: while a request has one open, the queue waits.',
  ].join('\n'),
  facts: { shared: false },
  schema: shape({
    ...queueFields(5),
    connection: text({
      doc: 'The connection of the config whose database stores the queue, a `pglite`.',
      complete: { source: 'connection', of: 'dialect' },
      default: 'main',
      since: '0.5.0',
      examples: ['jobs'],
    }).min(1),
  }),
  requires: ['dialect:pglite'],
  openapi: () => ({ refuses: ['JOB_AWAY', 'JOB_TOO_LARGE'] }),
  errors: {
    ...queueErrors,
    JOB_NOT_EMBEDDED: {
      title: 'No embedded database',
      message: 'The queue `embedded` needs an embedded database, but the connection `{connection}` is not one.',
      help: 'Write `"queue": { "use": "postgres", "url": "$ENV.DATABASE_URL" }` in the config, or another queue that fits (`redis`, `mongo`). If the database is MySQL, the queue can use its own embedded database: `"connections": { "main": { "use": "mysql", ... }, "jobs": { "use": "pglite" } }` and `"queue": { "use": "embedded", "connection": "jobs" }`.',
      status: 500,
    },
  },
  examples: [
    { title: 'With its defaults', json: { use: 'embedded' } },
    { title: 'One at a time', json: { use: 'embedded', concurrency: 1, backoff: 10 } },
  ],
  counterExamples: [
    {
      title: 'A concurrency of zero',
      json: { use: 'embedded', concurrency: 0 },
      code: 'DEF_RANGE',
      at: '/concurrency',
    },
    {
      title: 'A lease as text',
      json: { use: 'embedded', lease: '30s' },
      code: 'DEF_TYPE',
      at: '/lease',
    },
  ],
});
