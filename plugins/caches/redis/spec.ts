/** Spec of the cache `redis`: a server shared by several processes. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { cacheErrors } from '../shared/errors.light.js';
import { redisFields } from '../../shared/redis-fields.light.js';

export default definePlugin({
  kind: 'cache',
  name: 'redis',
  since: '0.3.0',
  summary: 'Cached results, counters and revoked tokens in Redis 6 or later, through the driver `ioredis`.',
  details: [
    'A server that is away does not stop the start, and is looked for again until it is back. Meanwhile what is merely cached is',
    'computed; limits and revoked tokens cannot do without, and their requests are refused (`CCH_AWAY`). A server that hangs is',
    'given up after 0.8 seconds.',
    '',
    'A server that makes room by itself may forget revoked tokens: give it `maxmemory-policy noeviction`, and memory enough. The',
    'log says so when it is not.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape(redisFields),
  openapi: () => ({ refuses: ['CCH_AWAY'] }),
  errors: {
    ...cacheErrors,
    CCH_ADDRESS: {
      title: 'Address of the cache',
      message: 'The address of the cache store is not a Redis address.',
      help: 'Write `redis://:password@host:6379/0`, or `rediss://...` for an encrypted connection, in the variable that `url` names.',
      status: 500,
    },
  },
  examples: [
    { title: 'Address from the environment', json: { use: 'redis', url: '$ENV.REDIS_URL' } },
    {
      title: 'A shared server, encrypted',
      json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:', tls: true },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Switches are true or false',
      json: { use: 'redis', url: '$ENV.REDIS_URL', tls: 'yes' },
      code: 'DEF_TYPE',
      at: '/tls',
    },
  ],
});
