/** Spec of the scheduler `redis`: the ledger on a Redis server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { redisFields } from '../../shared/redis-fields.light.js';
import { checkScheduler, ledgerErrors } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'scheduler',
  name: 'redis',
  since: '0.4.0',
  packages: ['ioredis'],
  aliases: ['bull', 'bullmq', 'ioredis', 'valkey'],
  summary: 'Records scheduled runs in Redis 6 or later, for any number of processes.',
  details:
    'Uses one connection. One hash is stored for each schedule, and the runs of the last 25 hours. An unavailable ' +
    'server does not prevent the start: schedules wait for it, and the latest missed run is started. If a server is ' +
    'empty after a restart, earlier runs are unknown: if a run must never happen twice, set `appendonly yes` and ' +
    '`maxmemory-policy noeviction`.',
  facts: { shared: true },
  schema: shape(redisFields),
  check: checkScheduler,
  errors: ledgerErrors,
  examples: [
    { title: 'Address from the environment', json: { use: 'redis', url: '$ENV.REDIS_URL' } },
    { title: 'A shared server', json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:' } },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Seconds as text',
      json: { use: 'redis', url: '$ENV.REDIS_URL', catch_up: '1d' },
      code: 'DEF_TYPE',
      at: '/catch_up',
    },
  ],
});
