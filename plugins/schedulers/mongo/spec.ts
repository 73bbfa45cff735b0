/** Spec of the scheduler `mongo`: the ledger on a MongoDB server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape, value } from '../../../contract/combinators.js';
import { checkScheduler, ledgerErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'mongo',
  since: '0.4.0',
  packages: ['mongodb'],
  aliases: ['mongodb', 'agenda'],
  summary: 'Records scheduled runs in MongoDB 4.4 or later, for any number of processes.',
  details:
    'Uses the database in the address. The collections `lintel_schedules` and `lintel_schedule_instants` have a ' +
    'document for each schedule, and one for each run of the last 25 hours. An unavailable server does not prevent ' +
    'the start: schedules wait for it, and the latest missed run is started.',
  facts: { shared: true },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.MONGO_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    timeout: numeric({
      doc: 'Time to find the server, and for its responses. Set it longer if members of a replica set are far apart.',
      unit: 'seconds',
      default: 0.9,
    })
      .min(0.1)
      .max(10),
  }),
  check: checkScheduler,
  errors: ledgerErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'mongo', url: '$ENV.MONGO_URL' } },
    {
      title: 'Schedules in another time zone',
      json: { use: 'mongo', url: '$ENV.MONGO_URL', time_zone: 'Asia/Kolkata' },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'mongo' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'An abbreviation of a time zone',
      json: { use: 'mongo', url: '$ENV.MONGO_URL', time_zone: 'PST' },
      code: 'CRN_ZONE',
      at: '/time_zone',
    },
  ],
});
