/**
 * One connection to a Redis server: looked for until it is there, given up when it does not answer. Nothing waits in a queue;
 * while it is away every command fails at once. What is logged is when it went, and when it came back.
 */
import { Redis } from 'ioredis';
import type { Log } from '../../../kernel/contract/plugin.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export type Client = Redis & Scripted;

/** Milliseconds in which a command has to be answered. */
export const COMMAND_TIMEOUT = 800;
/** A connection that has been ended must not linger: commands would wait for its end. */
const END_TIMEOUT = 100;
const LONGEST_PAUSE = 5000;

export interface ConnectionOptions {
  readonly url: string;
  readonly prefix: string;
  readonly tls: boolean;
}

/** Twice as long each time, and not all processes at once. */
const backoff = (attempt: number): number =>
  Math.min(LONGEST_PAUSE, 50 * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 4);

export function createClient({ url, prefix, tls }: ConnectionOptions, log: Log): Client {
  const client = new Redis(url, {
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
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
  const told: Told = { away: false, policy: false, seen: false };
  // Without a listener ioredis prints errors by itself.
  client.on('error', (error: Error) => tellAway(told, log, error));
  client.on('ready', () => {
    if (told.away) log.info({}, 'the cache store is back');
    told.away = false;
    inspect(client, prefix, told, log).catch(() => undefined);
  });
  return client as Client;
}

interface Told {
  away: boolean;
  policy: boolean;
  /** This process has left its trace there. */
  seen: boolean;
}

function tellAway(told: Told, log: Log, error: Error): void {
  if (told.away) return;
  told.away = true;
  log.warn({ reason: error.message }, 'the cache store is away; results are computed, limits and revocations refuse');
}

/** What an operator should know of a server: that it makes room by itself, or came back empty. */
async function inspect(client: Redis, prefix: string, told: Told, log: Log): Promise<void> {
  const isNew = (await client.set(`${prefix}here`, '1', 'NX')) === 'OK';
  if (isNew && told.seen) log.warn({}, 'the cache store came back empty: counters and revoked tokens are forgotten');
  told.seen = true;
  if (told.policy) return;
  told.policy = true;
  const policy = /maxmemory_policy:(\S+)/.exec(await client.info('memory'))?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    log.warn({ policy }, 'the cache store makes room by itself (maxmemory-policy): it may forget revoked tokens');
}

/** Gives up a connection that hangs: until there is a new one, commands fail at once. */
export function giveUp(client: Redis): void {
  if (client.status === 'ready') client.disconnect(true);
}
