/** Runtime of the relay `redis`: opens and closes the connections. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { relay, type Relay } from '../kind.js';
import { parseRedisAddress } from '../../shared/redis.js';
import { readRelaySettings } from '../shared/settings.js';
import { createRedisRelay, type RedisRelay } from './redis.js';

const relays = new WeakMap<Relay, RedisRelay>();

export default defineRuntime(relay, {
  create({ options, log, running }) {
    const address = parseRedisAddress(options);
    if (address === null) throw new BootError('RLY_ADDRESS', {});
    const made = createRedisRelay({
      ...readRelaySettings(options),
      ...address,
      log,
      deliver: (message) => running?.deliverMessage(message),
    });
    const handle: Relay = { publish: (message) => made.publish(message), listSince: (id) => made.listSince(id) };
    relays.set(handle, made);
    return handle;
  },

  async open(handle, { options, running }) {
    if (readRelaySettings(options).replay) running?.registerReplay((id) => handle.listSince(id));
    await relays.get(handle)?.open();
  },

  async drain(handle) {
    await relays.get(handle)?.flushPending();
  },

  close(handle) {
    relays.get(handle)?.close();
    return Promise.resolve();
  },

  async health(handle) {
    const made = relays.get(handle);
    const lost = made?.lost() ?? 0;
    const told = lost === 0 ? {} : { detail: `${lost} messages were not sent to other processes` };
    try {
      await made?.pingServer();
      return { ok: true, ...told };
    } catch {
      return { ok: false, optional: true, detail: 'the relay does not respond' };
    }
  },
});
