/** Spec of the queue `redis`: a server shared by several processes, which must persist its data. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { queueFields } from '../shared/fields.light.js';
import { queueErrors } from '../kind.js';
import { redisFields } from '../../shared/redis-fields.light.js';

export default definePlugin({
  kind: 'queue',
  name: 'redis',
  since: '0.4.0',
  packages: ['ioredis'],
  aliases: ['bull', 'bullmq', 'ioredis', 'valkey'],
  summary: 'A queue in Redis 7 or later, run by `agenda`.',
  details: [
    'Jobs run at least once: a process that runs one has a lease, and its result counts only while it has the lease.',
    'Of the jobs that are due, those with a higher priority run first. Processes notify each other of new jobs. Every',
    'step is one script.',
    '',
    'Jobs are stored in keys of Agenda that begin with `<prefix>{queue}:` under the name `lintel`, so its tools can',
    'show them.',
    '',
    'Redis is as durable as its settings. With `appendonly yes` and `appendfsync always` no accepted job is lost;',
    'with `appendfsync everysec`, a crash of the machine may lose the last second. A warning is logged if a server',
    'does not write to disk, or evicts keys when it is full (`maxmemory-policy` must be `noeviction`). A full server',
    'rejects new jobs, and waiting jobs still run. If a server is empty after a reconnect, the log and the status',
    'page report it.',
    '',
    'If a request writes to a SQL database, its jobs are stored in an outbox of that database until the queue has',
    'them, so the jobs and the writes are committed together.',
    '',
    'An unavailable server does not prevent the start: requests with jobs are rejected (`JOB_AWAY`) until it is',
    'available.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape({
    ...redisFields,
    ...queueFields(1),
  }),
  openapi: () => ({ refuses: ['JOB_AWAY', 'JOB_TOO_LARGE'] }),
  errors: {
    ...queueErrors,
    JOB_REDIS_ADDRESS: {
      title: 'Address of the queue',
      message: 'The address of the queue is not a Redis address.',
      help: 'Write `redis://:password@host:6379/0`, or `rediss://...` for an encrypted connection, in the variable that `url` names.',
      status: 500,
    },
    JOB_REDIS_REFUSED: {
      title: 'Queue login rejected',
      message: 'The Redis server of the queue rejected the login.',
      help: 'User and password are in the variable that `url` names. The log has the message of the server.',
      status: 500,
    },
  },
  examples: [
    { title: 'Address from the environment', json: { use: 'redis', url: '$ENV.REDIS_URL' } },
    {
      title: 'A shared server, encrypted, with more jobs at a time',
      json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:', tls: true, concurrency: 25 },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A number as text',
      json: { use: 'redis', url: '$ENV.REDIS_URL', concurrency: 'many' },
      code: 'DEF_TYPE',
      at: '/concurrency',
    },
  ],
});
