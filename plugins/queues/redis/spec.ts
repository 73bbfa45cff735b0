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
  aliases: ['bull', 'bullmq', 'ioredis', 'valkey'],
  summary: 'A queue in Redis 7 or later, run by `agenda`.',
  details: [
    'Work runs at least once: the process that does it holds a lease, and what it ends in counts only while the lease is held.',
    'Among work that is due the higher priority runs first. Processes wake one another. Every step is one script.',
    '',
    'Jobs lie in keys of Agenda that begin with `<prefix>{queue}:`, so that its tools see them, under the name `lintel`.',
    '',
    'Redis is as durable as it is set up to be. With `appendonly yes` and `appendfsync always` nothing that was accepted is lost;',
    'with `appendfsync everysec`, a crash of the machine may lose the last second. The log says so when a server keeps nothing',
    'on disk, or throws keys away when it is full (`maxmemory-policy` must be `noeviction`). A full server refuses new work, and',
    'what waits is still done. A server that came back empty is told in the log and on the status page.',
    '',
    'Work of a request that writes to a SQL database waits in an outbox of that database until the queue has it: neither is there',
    'without the other.',
    '',
    'A server that is away does not stop the start: requests that ask for work are refused (`JOB_AWAY`) until it is back.',
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
      title: 'A shared server, encrypted, with more at a time',
      json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:', tls: true, concurrency: 25 },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Numbers are written as numbers',
      json: { use: 'redis', url: '$ENV.REDIS_URL', concurrency: 'many' },
      code: 'DEF_TYPE',
      at: '/concurrency',
    },
  ],
});
