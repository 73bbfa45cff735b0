/** Spec of the scheduler `redis`: the ledger on a Redis server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { redisFields } from '../../shared/redis-fields.light.js';
import { checkScheduler, ledgerErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'redis',
  since: '0.4.0',
  aliases: ['bull', 'bullmq', 'ioredis', 'valkey'],
  summary: 'The ledger of scheduled runs in Redis 6 or later, for any number of processes.',
  details: [
    'One connection. Of each schedule one hash is kept, and the instants of the last 25 hours. A server that is away does not',
    'stop the start: schedules wait for it, and the latest run that was missed is made up for. One that came back empty knows no',
    'run of before: give it a file (`appendonly yes`) and `maxmemory-policy noeviction` where a run must never happen twice.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape(redisFields),
  check: checkScheduler,
  errors: ledgerErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'redis', url: '$ENV.REDIS_URL' } },
    { title: 'A shared server', json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:' } },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Seconds are a number',
      json: { use: 'redis', url: '$ENV.REDIS_URL', catch_up: '1d' },
      code: 'DEF_TYPE',
      at: '/catch_up',
    },
  ],
});
