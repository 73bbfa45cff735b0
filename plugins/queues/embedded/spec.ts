/** Spec of the queue `embedded`: tables in the embedded database of the project, the default without a server. */
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
    'For development, tests and small installations. Jobs lie in a table of Agenda (`lintel_jobs`), with `lintel_job_marks` beside it, in the',
    'data folder of a connection that is a `pglite`: `main`, or the one that `connection` names. With a server, write `"queue": { "use": "postgres", ... }`. It gives the same promises',
    'as the queue `postgres`, for one process.',
    '',
    'The embedded database does one thing at a time: while a request has a transaction open, the queue waits.',
  ].join('\n'),
  facts: { shared: false },
  schema: shape({
    ...queueFields(5),
    connection: text({
      doc: 'The connection of the config in whose database it lies, a `pglite`.',
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
      message: 'The queue `embedded` lies in an embedded database, but the connection `{connection}` is not one.',
      help: 'Write `"queue": { "use": "postgres", "url": "$ENV.DATABASE_URL" }` in the config, or another queue that fits (`redis`, `mongo`). Where the database is MySQL, the queue may lie in a file of its own: `"connections": { "main": { "use": "mysql", ... }, "jobs": { "use": "pglite" } }` and `"queue": { "use": "embedded", "connection": "jobs" }`.',
      status: 500,
    },
  },
  examples: [
    { title: 'As it is', json: { use: 'embedded' } },
    { title: 'One at a time', json: { use: 'embedded', concurrency: 1, backoff: 10 } },
  ],
  counterExamples: [
    {
      title: 'At least one at a time',
      json: { use: 'embedded', concurrency: 0 },
      code: 'DEF_RANGE',
      at: '/concurrency',
    },
    {
      title: 'A lease is a number of seconds',
      json: { use: 'embedded', lease: '30s' },
      code: 'DEF_TYPE',
      at: '/lease',
    },
  ],
});
