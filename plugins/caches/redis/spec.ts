/** Spec of the cache `redis`: a server shared by several processes. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { cacheErrors } from '../shared/errors.light.js';
import { redisFields } from '../../shared/redis-fields.light.js';

export default definePlugin({
  kind: 'cache',
  name: 'redis',
  since: '0.3.0',
  packages: ['ioredis'],
  summary: 'Stores cached results, counters and revoked tokens in Redis 6 or later, with the driver `ioredis`.',
  details: [
    'An unavailable server does not prevent the start; the connection is retried. In the meantime, cached results are',
    'computed, and requests that need limits or revoked tokens are rejected (`CCH_AWAY`). A server that does not',
    'respond within 0.8 seconds counts as unavailable.',
    '',
    'A server that evicts keys may lose revoked tokens: set `maxmemory-policy noeviction`, and enough memory.',
    'Otherwise a warning is logged.',
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
    { title: 'No address', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A text instead of true or false',
      json: { use: 'redis', url: '$ENV.REDIS_URL', tls: 'yes' },
      code: 'DEF_TYPE',
      at: '/tls',
    },
  ],
});
