/** Spec of the queue `mongo`: a MongoDB collection shared by several processes. */
import { string } from 'yup';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text, value } from '../../../contract/combinators.js';
import { queueFields } from '../shared/fields.light.js';
import { queueErrors } from '../kind.js';

const fields = queueFields(0.5);

export default definePlugin({
  kind: 'queue',
  name: 'mongo',
  since: '0.4.0',
  packages: ['mongodb'],
  aliases: ['mongodb', 'agenda'],
  summary: 'A queue in MongoDB 5 or later, run by `agenda`.',
  details: [
    'Jobs are documents of Agenda under the name `lintel`, so its tools can show them. The queue creates its own',
    'collection and indexes. Accepted jobs are on disk on a majority of the servers (`w: "majority"`, `j: true`). All',
    'jobs of one request are accepted together, which needs a replica set (one server is enough); without one a',
    'warning is logged.',
    '',
    'Jobs run at least once: a process that runs one has a lease, and its result counts only while it has the lease.',
    'Of the jobs that are due, those with a higher priority run first. Processes look for jobs every `poll` seconds.',
    '',
    'If a request writes to a SQL database, its jobs are stored in an outbox of that database until the queue has',
    'them, so the jobs and the writes are committed together.',
    '',
    'An unavailable server does not prevent the start: requests with jobs are rejected (`JOB_AWAY`) until it is',
    'available.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape({
    url: value(string().required(), {
      doc: 'Address of the servers, with the password and the database. Keep it in the environment.',
      examples: ['$ENV.MONGO_URL'],
      roots: ['ENV'],
      secret: true,
    }).required(),
    database: text({ doc: 'Name of the database, if the address has none.', default: 'lintel' })
      .min(1)
      .max(60)
      .matches(/^[A-Za-z0-9_-]+$/),
    collection: text({ doc: 'Name of the collection.', default: 'lintel_jobs' })
      .min(1)
      .max(100)
      .matches(/^[A-Za-z0-9_-]+$/),
    ...fields,
    // MongoDB limits a document to 16 MiB.
    max_payload: fields.max_payload.max(15_000_000),
  }),
  openapi: () => ({ refuses: ['JOB_AWAY', 'JOB_TOO_LARGE'] }),
  errors: {
    ...queueErrors,
    JOB_MONGO_ADDRESS: {
      title: 'Address of the queue',
      message: 'The address of the queue is not a MongoDB address.',
      help: 'Write `mongodb://user:password@host:27017/database`, or `mongodb+srv://...`, in the variable that `url` names.',
      status: 500,
    },
    JOB_MONGO_REFUSED: {
      title: 'Queue login rejected',
      message:
        'The MongoDB server of the queue rejected the login, or does not allow the user to create the collection of the queue.',
      help: 'User and password are in the variable that `url` names; the user needs the role `readWrite`. The log has the message of the server.',
      status: 500,
    },
  },
  examples: [
    { title: 'Address from the environment', json: { use: 'mongo', url: '$ENV.MONGO_URL' } },
    {
      title: 'Another collection, polled more often',
      json: { use: 'mongo', url: '$ENV.MONGO_URL', database: 'shop', collection: 'shop_jobs', poll: 0.2 },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'mongo' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A number as text',
      json: { use: 'mongo', url: '$ENV.MONGO_URL', concurrency: 'many' },
      code: 'DEF_TYPE',
      at: '/concurrency',
    },
  ],
});
