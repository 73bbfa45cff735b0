/** Spec of the scheduler `embedded`: the ledger is in the database of a SQL connection. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { checkScheduler, zoneErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'embedded',
  since: '0.4.0',
  aliases: ['pglite', 'local', 'memory', 'in-memory', 'file'],
  summary: 'The ledger of scheduled runs in the database of a SQL connection, `main` by default.',
  details: [
    'For one process with the embedded database, where nothing has to be installed. The tables `lintel_schedules` and',
    '`lintel_schedule_instants` are made when they are first needed; a transaction of a request that is under way delays a run.',
    'Where `main` is PostgreSQL, the scheduler `postgres` has connections of its own; where it is MySQL, `connection` names another.',
  ].join('\n'),
  facts: { shared: false },
  schema: shape({
    connection: text({
      doc: 'The connection of the config in whose database it lies, a `pglite` or a `postgres`.',
      complete: { source: 'connection', of: 'dialect' },
      default: 'main',
      since: '0.5.0',
      examples: ['jobs'],
    }).min(1),
  }),
  requires: ['dialect:pglite', 'dialect:postgres'],
  check: checkScheduler,
  errors: {
    ...zoneErrors,
    CRN_NOT_EMBEDDED: {
      status: 500,
      title: 'No database for schedules',
      message:
        'The scheduler `embedded` keeps its ledger in PostgreSQL or an embedded database, but the connection `{connection}` is neither.',
      help: 'Write another scheduler that fits into the config (`redis`, `mongo`, `postgres`), or give it a file of its own: `"connections": { "main": { "use": "mysql", ... }, "jobs": { "use": "pglite" } }` and `"scheduler": { "use": "embedded", "connection": "jobs" }`.',
    },
  },
  examples: [
    { title: 'By name', json: 'embedded' },
    { title: 'Schedules of one place', json: { use: 'embedded', time_zone: 'Europe/Berlin' } },
  ],
  counterExamples: [
    {
      title: 'A zone that there is not',
      json: { use: 'embedded', time_zone: 'Europe/Berlinn' },
      code: 'CRN_ZONE',
      at: '/time_zone',
    },
  ],
});
