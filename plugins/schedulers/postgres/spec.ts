/** Spec of the scheduler `postgres`: the ledger on a PostgreSQL server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { checkScheduler, ledgerErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'postgres',
  since: '0.4.0',
  aliases: ['pg', 'postgresql', 'pg-boss', 'pgboss'],
  summary: 'Records scheduled runs in PostgreSQL, for any number of processes.',
  details:
    'Uses at most two connections, in addition to those of queries. The tables `lintel_schedules` and ' +
    '`lintel_schedule_instants` are created when they are first needed; they have a row for each schedule, and one ' +
    'for each run of the last 25 hours. An unavailable server does not prevent the start: schedules wait for it, and ' +
    'the latest missed run is started.',
  facts: { shared: true },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.DATABASE_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
  }),
  check: checkScheduler,
  errors: ledgerErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'postgres', url: '$ENV.DATABASE_URL' } },
    {
      title: 'Without missed runs',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', catch_up: 0 },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'postgres' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'An offset instead of a time zone',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', time_zone: '+02:00' },
      code: 'CRN_ZONE',
      at: '/time_zone',
    },
  ],
});
