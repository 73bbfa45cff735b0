/** Runtime of the cache `redis`: opens and closes the connection. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { cache, type Cache } from '../kind.js';
import { parseRedisAddress, waitForSettled } from '../../shared/redis.js';
import { createClient, type Client } from './connection.js';
import { createRedisCache } from './redis.js';

const clients = new WeakMap<Cache, Client>();

export default defineRuntime(cache, {
  create({ options, log }) {
    const address = parseRedisAddress(options);
    if (address === null) throw new BootError('CCH_ADDRESS', {});
    const client = createClient(address, log);
    const handle = createRedisCache(client, address.prefix);
    clients.set(handle, client);
    return handle;
  },

  async open(handle) {
    const client = clients.get(handle);
    // Waits for the first attempt but not for its success: the driver reconnects.
    if (client !== undefined) await waitForSettled(client.connect());
  },

  close(handle) {
    clients.get(handle)?.disconnect();
    return Promise.resolve();
  },

  async health(handle) {
    const client = clients.get(handle);
    try {
      await client?.ping();
      return { ok: true };
    } catch {
      return { ok: false, optional: true, detail: 'the cache store does not respond' };
    }
  },
});
