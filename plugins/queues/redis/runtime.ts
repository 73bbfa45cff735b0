/** Opens and closes the queue `redis`. An unavailable server does not fail the start. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime, type Log } from '../../../contract/plugin.js';
import { queue, type Queue } from '../kind.js';
import { listenForJobs, RECONNECT, type JobListener } from '../shared/job-listener.js';
import { createQueue } from '../shared/queue.js';
import { readSettings } from '../shared/settings.js';
import type { Redis } from 'ioredis';
import type { RedisNotificationChannelConfig } from '@agendajs/redis-backend';
import { parseRedisAddress, COMMAND_TIMEOUT, createSubscriber } from '../../shared/redis.js';
import { createClient, checkServerSettings, type Client } from './connection.js';
import { createRedisStore, type RedisStore } from './store.js';
import { worker } from '../shared/worker.js';

type AgendaRedis = NonNullable<RedisNotificationChannelConfig['redis']>;

interface Server {
  readonly client: Client;
  readonly store: RedisStore;
  lostData: boolean;
  listener: JobListener | null;
}

interface RedisQueue extends Queue {
  /** Null after `close`. */
  server: Server | null;
}

/** A retry cannot fix a wrong password or missing rights. */
const FATAL = /^(?:WRONGPASS|NOAUTH|NOPERM)|invalid password/;

export default defineRuntime<Queue, RedisQueue>(queue, {
  create({ options, env, log, running }) {
    const address = parseRedisAddress(options);
    if (address === null) throw new BootError('JOB_REDIS_ADDRESS', {});
    const client = createClient(address);
    const store = createRedisStore(client, address.prefix, () => {
      server.lostData = true;
      log.error({}, 'queue store is empty after a reconnect: accepted jobs are lost');
    });
    const server: Server = { client, store, lostData: false, listener: null };
    const made = createQueue({
      store,
      settings: readSettings(options, 1, env),
      log,
      emit: (event) => running?.emit(event),
    });
    return {
      ...made,
      server,
      // Processes that only inspect or add need no notifications.
      startWorker(run) {
        server.listener ??= listenOn(client, store.channel, made.wake, log);
        return made.startWorker(run);
      },
    };
  },

  async open({ server }, { log }) {
    if (server === null) return;
    checkOnceReady(server.client, log);
    // Waits for the first attempt but not for its success: the driver reconnects.
    let late: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((_, reject) => {
      late = setTimeout(() => reject(new Error('no answer in time')), COMMAND_TIMEOUT);
    });
    // Only the `error` event has the reason.
    let reason: Error | undefined;
    const recordReason = (error: Error): void => void (reason = error);
    server.client.on('error', recordReason);
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
      log.warn({ err }, 'queue store unavailable, retrying');
    } finally {
      clearTimeout(late);
      server.client.off('error', recordReason);
    }
  },

  ...worker,

  async close(handle) {
    const { server } = handle;
    handle.server = null;
    await handle.drain();
    await server?.listener?.stop();
    server?.client.disconnect();
  },

  async health({ server }) {
    try {
      await server?.store.ping();
    } catch {
      return { ok: false, detail: 'the queue store does not respond' };
    }
    if (server?.lostData)
      return { ok: false, optional: true, detail: 'queue store is empty after a reconnect: jobs are lost' };
    return { ok: true };
  },
});

function checkOnceReady(client: Client, log: Log): void {
  client.once('ready', () => {
    checkServerSettings(client, log).catch(() => checkOnceReady(client, log));
  });
}

/** Emits an error when a connection ends: the channel reconnects only after an error. */
function createConnections(client: Redis) {
  let current: Redis | null = null;
  let closed = false;
  const disconnectCurrent = (): void => current?.disconnect();
  return {
    duplicate(): Redis {
      disconnectCurrent();
      const listener = createSubscriber(client);
      current = listener;
      listener.on('error', () => undefined);
      listener.on('end', () => {
        if (!closed && current === listener) listener.emit('error', new Error('the connection has ended'));
      });
      if (closed) listener.disconnect();
      return listener;
    },
    close() {
      closed = true;
      disconnectCurrent();
    },
  };
}

/** Agenda's channel (`SUBSCRIBE`), on a dedicated connection. */
function listenOn(client: Redis, channelName: string, woken: () => void, log: Log): JobListener {
  const made = createConnections(client);
  // All that Agenda's channel uses of its version of the driver.
  const redis: { duplicate(): object } = made;
  return listenForJobs({
    async createChannel() {
      const { RedisNotificationChannel } = await import('@agendajs/redis-backend');
      return new RedisNotificationChannel({ redis: redis as AgendaRedis, channelName, reconnect: RECONNECT });
    },
    close: () => made.close(),
    onWake: woken,
    log,
  });
}
