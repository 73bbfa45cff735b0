/** Spec of the relay `redis`: clients of all processes that share a server. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { redisFields } from '../../shared/redis-fields.light.js';
import { relayErrors, relayFields } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'relay',
  name: 'redis',
  since: '0.4.0',
  aliases: ['ioredis', 'pubsub', 'valkey'],
  summary:
    'Messages reach the clients of all processes, through a stream in Redis 6.2 or later and the driver `ioredis`.',
  details: [
    'Every process reads the same stream: each message comes once, and in the same order everywhere. A process that lost the',
    'connection goes on where it was; what is older than `keep`, or beyond `most`, it has missed then, and the log says how many.',
    'The keys of one relay lie in one slot of a cluster.',
    '',
    'A server that is away does not stop the start, and is looked for again until it is back. Meanwhile messages reach the',
    'clients of the process where they came from; requests do not fail. A server that hangs is given up after 0.8 seconds.',
    'With `replay` the process keeps such messages for the others (not more than `most`, not longer than `keep`) and sends them in',
    'their order when the server is back; without it they are lost for others, and counted.',
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
      title: 'A shared server, and what clients missed',
      json: { use: 'redis', url: '$ENV.REDIS_URL', prefix: 'shop:', replay: true, keep: 300 },
    },
  ],
  counterExamples: [
    { title: 'The address is needed', json: { use: 'redis' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'Switches are true or false',
      json: { use: 'redis', url: '$ENV.REDIS_URL', replay: 'yes' },
      code: 'DEF_TYPE',
      at: '/replay',
    },
  ],
});
