/** Spec of the scheduler `embedded`: the ledger is in the database of a SQL connection. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import { checkScheduler, zoneErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'embedded',
  since: '0.4.0',
  aliases: ['pglite', 'local', 'memory', 'in-memory', 'file'],
  summary: 'Records scheduled runs in the database of a SQL connection, `main` by default.',
  details:
    'For one process with the embedded database, where nothing has to be installed. The tables `lintel_schedules` and ' +
    '`lintel_schedule_instants` are created when they are first needed; an open transaction of a request delays a ' +
    'run. If `main` is PostgreSQL, the scheduler `postgres` has its own connections; if it is MySQL, set `connection` ' +
    'to another one.',
  facts: { shared: false },
  schema: shape({
    connection: text({
      doc: 'The connection of the config whose database stores the records, a `pglite` or a `postgres`.',
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
      help: 'Write another scheduler into the config (`redis`, `mongo`, `postgres`), or give it its own embedded database: `"connections": { "main": { "use": "mysql", ... }, "jobs": { "use": "pglite" } }` and `"scheduler": { "use": "embedded", "connection": "jobs" }`.',
    },
  },
  examples: [
    { title: 'By name', json: 'embedded' },
    { title: 'Schedules in another time zone', json: { use: 'embedded', time_zone: 'Europe/Berlin' } },
  ],
  counterExamples: [
    {
      title: 'An unknown time zone',
      json: { use: 'embedded', time_zone: 'Europe/Berlinn' },
      code: 'CRN_ZONE',
      at: '/time_zone',
    },
  ],
});
