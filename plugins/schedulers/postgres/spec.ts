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
  summary: 'The ledger of scheduled runs in PostgreSQL, for any number of processes.',
  details: [
    'Two connections at most, beside those of queries. The tables `lintel_schedules` and `lintel_schedule_instants` are made when',
    'they are first needed; they hold a row for each schedule, and one for each run of the last 25 hours. A server that is away',
    'does not stop the start: schedules wait for it, and the latest run that was missed is made up for.',
  ].join('\n'),
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
      title: 'Missed runs are left out',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', catch_up: 0 },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'postgres' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A distance is no zone',
      json: { use: 'postgres', url: '$ENV.DATABASE_URL', time_zone: '+02:00' },
      code: 'CRN_ZONE',
      at: '/time_zone',
    },
  ],
});
