/** Opens and closes the relay `redis`. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { relay, type Relay } from '../kind.js';
import { parseRedisAddress } from '../../shared/redis.js';
import { readRelaySettings } from '../shared/settings.js';
import { createRedisRelay, type RedisRelay } from './redis.js';

interface RedisRelayHandle extends Relay {
  readonly connections: RedisRelay;
}

export default defineRuntime<Relay, RedisRelayHandle>(relay, {
  create({ options, log, running }) {
    const address = parseRedisAddress(options);
    if (address === null) throw new BootError('RLY_ADDRESS', {});
    const connections = createRedisRelay({
      ...readRelaySettings(options),
      ...address,
      log,
      deliver: (message) => running?.deliverMessage(message),
    });
    return {
      publish: (message) => connections.publish(message),
      listSince: (id) => connections.listSince(id),
      connections,
    };
  },

  async open(handle, { options, running }) {
    if (readRelaySettings(options).replay) running?.registerReplay((id) => handle.listSince(id));
    await handle.connections.open();
  },

  async drain({ connections }) {
    await connections.flushPending();
  },

  close({ connections }) {
    connections.close();
    return Promise.resolve();
  },

  async health({ connections }) {
    const lost = connections.lost();
    const reported = lost === 0 ? {} : { detail: `${lost} messages were not sent to other processes` };
    try {
      await connections.pingServer();
      return { ok: true, ...reported };
    } catch {
      return { ok: false, optional: true, detail: 'the relay does not respond' };
    }
  },
});
