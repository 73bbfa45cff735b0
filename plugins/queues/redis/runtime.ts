/** Runtime of the queue `redis`: opens and closes its connections. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { queue, type Queue } from '../kind.js';
import type { Ear } from '../shared/hearing.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import { listenOn } from './channel.js';
import { addressIn, COMMAND_TIMEOUT } from '../../shared/redis.js';
import { createClient, inspect, type Client } from './connection.js';
import { createRedisStore, type RedisStore } from './store.js';
import { worker } from '../shared/worker.js';

interface Server {
  readonly client: Client;
  readonly store: RedisStore;
  forgot: boolean;
  ear: Ear | null;
}
const servers = new WeakMap<Queue, Server>();

/** A retry cannot fix a wrong password or missing rights. */
const FATAL = /^(?:WRONGPASS|NOAUTH|NOPERM)|invalid password/;

export default defineRuntime(queue, {
  create({ options, env, log, running }) {
    const address = addressIn(options);
    if (address === null) throw new BootError('JOB_REDIS_ADDRESS', {});
    const client = createClient(address);
    const store = createRedisStore(client, address.prefix, () => {
      server.forgot = true;
      log.error({}, 'the store of the queue came back empty: work that was accepted is lost');
    });
    const server: Server = { client, store, forgot: false, ear: null };
    const made = createQueue({
      store,
      settings: readSettings(options, 1, env),
      log,
      told: (event) => running?.tell(event),
    });
    const handle: Queue = {
      ...made,
      // Processes that only inspect or add need no notifications.
      work(run) {
        server.ear ??= listenOn(client, store.channel, made.wake, log);
        return made.work(run);
      },
    };
    servers.set(handle, server);
    return handle;
  },

  async open(handle, { log }) {
    const server = servers.get(handle);
    if (server === undefined) return;
    inspectOnce(server.client, log);
    // Waits for the first attempt but not for its success: the driver reconnects.
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((_, reject) => {
      late = setTimeout(() => reject(new Error('no answer in time')), COMMAND_TIMEOUT);
    });
    // Only the `error` event has the reason.
    let reason: Error | undefined;
    const note = (error: Error): void => void (reason = error);
    server.client.on('error', note);
    const connected = server.client.connect();
    try {
      await Promise.race([connected, patience]);
    } catch (error) {
      connected.catch(() => undefined);
      const err = reason ?? error;
      if (err instanceof Error && FATAL.test(err.message)) {
        server.client.disconnect();
        throw new BootError('JOB_REDIS_REFUSED', {}, err);
      }
      log.warn({ err }, 'the store of the queue is away; it is looked for until it is there');
    } finally {
      clearTimeout(late);
      server.client.off('error', note);
    }
  },

  ...worker,

  async close(handle) {
    const server = servers.get(handle);
    servers.delete(handle);
    await handle.rest();
    await server?.ear?.end();
    server?.client.disconnect();
  },

  async health(handle) {
    const server = servers.get(handle);
    try {
      await server?.store.ping();
    } catch {
      return { ok: false, detail: 'the store of the queue does not answer' };
    }
    if (server?.forgot)
      return { ok: false, optional: true, detail: 'the store of the queue came back empty: work is lost' };
    return { ok: true };
  },
});

function inspectOnce(client: Client, log: Log): void {
  client.once('ready', () => {
    inspect(client, log).catch(() => inspectOnce(client, log));
  });
}
