/** Spec of the scheduler `mongo`: the ledger on a MongoDB server. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape, value } from '../../../contract/combinators.js';
import { checkScheduler, ledgerErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'mongo',
  since: '0.4.0',
  aliases: ['mongodb', 'agenda'],
  summary: 'The ledger of scheduled runs in MongoDB 4.4 or later, for any number of processes.',
  details: [
    'In the database that the address names. The collections `lintel_schedules` and `lintel_schedule_instants` hold a document for',
    'each schedule, and one for each run of the last 25 hours. A server that is away does not stop the start: schedules wait for',
    'it, and the latest run that was missed is made up for.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the server and the database. Keep it in the environment: it holds the password.',
      examples: ['$ENV.MONGO_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    timeout: numeric({
      doc: 'Within what time the server has to be found, and to answer; longer for sets whose members are far apart.',
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
      title: 'Schedules of one place',
      json: { use: 'mongo', url: '$ENV.MONGO_URL', time_zone: 'Asia/Kolkata' },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'mongo' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'An abbreviation is no zone',
      json: { use: 'mongo', url: '$ENV.MONGO_URL', time_zone: 'PST' },
      code: 'CRN_ZONE',
      at: '/time_zone',
    },
  ],
});
