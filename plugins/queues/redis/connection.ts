/**
 * Connections to a Redis server: looked for until they are there, given up when they do not answer. Nothing waits in a queue; while
 * the server is away every command fails at once. Says what an operator should know of a server that may lose work.
 */
import { Redis } from 'ioredis';
import type { Log } from '../../../kernel/contract/plugin.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export type Client = Redis & Scripted;

/** Milliseconds in which a command has to be answered. */
export const COMMAND_TIMEOUT = 800;
/** A connection that has been ended must not linger: commands would wait for its end. */
const END_TIMEOUT = 100;
const LONGEST_PAUSE = 2000;

/** Twice as long each time, and not all processes at once. */
const backoff = (attempt: number): number =>
  Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 4);

export function createClient({ url, tls }: { readonly url: string; readonly tls: boolean }): Client {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COMMAND_TIMEOUT,
    connectTimeout: COMMAND_TIMEOUT,
    disconnectTimeout: END_TIMEOUT,
    retryStrategy: backoff,
    // A replica that took the place of the one that writes: the address has to be looked up again.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    disableClientInfo: true,
    scripts: SCRIPTS,
    ...(tls && { tls: {} }),
  });
  // Without a listener ioredis prints errors by itself. That the store is away is told where it is used.
  client.on('error', () => undefined);
  return client as Client;
}

/** Gives up a connection that hangs: until there is a new one, commands fail at once. */
export function giveUp(client: Redis, error: unknown): void {
  const silent = error instanceof Error && error.message === 'Command timed out';
  if (silent && client.status === 'ready') client.disconnect(true);
}

const setting = (info: string, name: string): string | undefined => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];

/** Says once what is wrong with how the server is set up. Rejects when it cannot be asked. */
export async function inspect(client: Redis, log: Log): Promise<void> {
  const info = await client.info();
  const version = setting(info, 'redis_version') ?? '0';
  if (Number.parseInt(version, 10) < 7)
    log.error({ version }, 'the queue needs Redis 7 or later: nothing can be added');
  const policy = setting(info, 'maxmemory_policy') ?? 'noeviction';
  if (policy.startsWith('allkeys'))
    log.error({ policy }, 'the store of the queue throws work away when it is full: set `maxmemory-policy noeviction`');
  if (setting(info, 'aof_enabled') === '1') return;
  // Not every server answers this to everybody; then nothing is known of snapshots.
  const snapshots = await client.config('GET', 'save').then(
    (found) => found[1] !== '',
    () => undefined,
  );
  if (snapshots === false)
    log.error({}, 'the store of the queue keeps nothing on disk: a restart loses all work (set `appendonly yes`)');
  else
    log.warn(
      {},
      'the store of the queue only makes snapshots: a crash loses the work since the last one (set `appendonly yes`)',
    );
}
