/** Spec of the relay `redis`: clients of all processes that share a server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { redisFields } from '../../shared/redis-fields.light.js';
import { relayErrors, relayFields } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'relay',
  name: 'redis',
  since: '0.4.0',
  packages: ['ioredis'],
  aliases: ['ioredis', 'pubsub', 'valkey'],
  summary:
    'Messages reach the clients of all processes, through a stream in Redis 6.2 or later and the driver `ioredis`.',
  details: [
    'Every process reads the same stream: each message arrives once, and in the same order everywhere. A process that',
    'reconnects continues where it stopped; messages older than `keep`, or beyond `most`, are missed then, and the',
    'log has their number. The keys of one relay are in one slot of a cluster.',
    '',
    'An unavailable server does not prevent the start; the connection is retried. In the meantime messages reach only',
    'the clients of the process that sends them; requests do not fail. A server that does not respond within 0.8',
    'seconds counts as unavailable. With `replay` the process stores such messages (at most `most`, at most `keep`',
    'seconds) and sends them in order when the server is available; without it, they are lost for other processes,',
    'and counted.',
  ].join('\n'),
  facts: { shared: true },
  schema: shape({
    ...redisFields,
    ...relayFields,
  }),
  openapi: () => ({ refuses: [] }),
  errors: {
    ...relayErrors,
    RLY_ADDRESS: {
      title: 'Address of the relay',
      message: 'The address of the relay is not a Redis address.',
      help: 'Write `redis://:password@host:6379/0`, or `rediss://...` for an encrypted connection, in the variable that `url` names.',
      status: 500,
    },
  },
  examples: [
    { title: 'Address from the environment', json: { use: 'redis', url: '$ENV.REDIS_URL' } },
    {
      title: 'A shared server, with replay of missed messages',
      json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:', replay: true, keep: 300 },
    },
  ],
  counterExamples: [
    { title: 'No address', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Text instead of true or false',
      json: { use: 'redis', url: '$ENV.REDIS_URL', replay: 'yes' },
      code: 'DEF_TYPE',
      at: '/replay',
    },
  ],
});
