/** Runtime of the relay `redis`: opens and closes the connections. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { relay, type Relay } from '../kind.js';
import { addressIn } from '../../shared/redis.js';
import { settingsOf } from '../shared/settings.js';
import { createRedisRelay, type RedisRelay } from './redis.js';

const relays = new WeakMap<Relay, RedisRelay>();

export default defineRuntime(relay, {
  create({ options, log, running }) {
    const address = addressIn(options);
    if (address === null) throw new BootError('RLY_ADDRESS', {});
    const made = createRedisRelay({
      ...settingsOf(options),
      ...address,
      log,
      deliver: (message) => running?.deliver(message),
    });
    const handle: Relay = { publish: (message) => made.publish(message), since: (id) => made.since(id) };
    relays.set(handle, made);
    return handle;
  },

  async open(handle, { options, running }) {
    if (settingsOf(options).replay) running?.replays((id) => handle.since(id));
    await relays.get(handle)?.open();
  },

  async drain(handle) {
    await relays.get(handle)?.settled();
  },

  close(handle) {
    relays.get(handle)?.close();
    return Promise.resolve();
  },

  async health(handle) {
    const made = relays.get(handle);
    const lost = made?.lost() ?? 0;
    const told = lost === 0 ? {} : { detail: `${lost} messages did not reach other processes` };
    try {
      await made?.ask();
      return { ok: true, ...told };
    } catch {
      return { ok: false, optional: true, detail: 'the relay does not answer' };
    }
  },
});
