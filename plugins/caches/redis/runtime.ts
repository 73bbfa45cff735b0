/** Opens and closes the cache `redis`. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { cache, type Cache } from '../kind.js';
import { parseRedisAddress, waitForSettled } from '../../shared/redis.js';
import { createClient, type Client } from './connection.js';
import { createRedisCache } from './redis.js';

interface RedisCache extends Cache {
  readonly client: Client;
}

export default defineRuntime<Cache, RedisCache>(cache, {
  create({ options, log }) {
    const address = parseRedisAddress(options);
    if (address === null) throw new BootError('CCH_ADDRESS', {});
    const client = createClient(address, log);
    return { ...createRedisCache(client, address.prefix), client };
  },

  async open({ client }) {
    // Not for its success: the driver reconnects.
    await waitForSettled(client.connect());
  },

  close({ client }) {
    client.disconnect();
    return Promise.resolve();
  },

  async health({ client }) {
    try {
      await client.ping();
      return { ok: true };
    } catch {
      return { ok: false, optional: true, detail: 'the cache store does not respond' };
    }
  },
});
