/** Runtime of the cache `redis`: opens and closes the connection. A server that is away does not stop the start. */
import { BootError } from '../../../kernel/contract/boot-error.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { cache, type Cache } from '../../kinds/cache.js';
import { COMMAND_TIMEOUT, createClient, type Client } from './connection.js';
import { createRedisCache } from './redis.js';

/** What belongs to a handle and is nobody else's business. */
const clients = new WeakMap<Cache, Client>();

export default defineRuntime(cache, {
  create({ options, log }) {
    const { url, prefix, tls } = options;
    if (typeof url !== 'string' || !/^rediss?:\/\/./.test(url)) throw new BootError('CCH_ADDRESS', {});
    const given = { url, prefix: typeof prefix === 'string' ? prefix : 'lintel:', tls: tls === true };
    const client = createClient(given, log);
    const handle = createRedisCache(client, given.prefix);
    clients.set(handle, client);
    return handle;
  },

  async open(handle) {
    const client = clients.get(handle);
    if (client === undefined) return;
    // The first attempt is waited for, but not its success: the connection is looked for until it is there.
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (late = setTimeout(resolve, COMMAND_TIMEOUT)));
    const connected = client.connect().catch(() => undefined);
    await Promise.race([connected, patience]);
    clearTimeout(late);
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
      return { ok: false, optional: true, detail: 'the cache store does not answer' };
    }
  },
});
