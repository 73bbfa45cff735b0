/** Creates the connection, and logs outages and possible data loss. */
import type { Redis } from 'ioredis';
import type { Log } from '../../../contract/plugin.js';
import { createRedisClient, type RedisAddress } from '../../shared/redis.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export type Client = Redis & Scripted;

export function createClient(address: RedisAddress, log: Log): Client {
  const { prefix } = address;
  const client = createRedisClient<Scripted>(address, SCRIPTS);
  const logged: CacheLogState = { isUnavailable: false, policy: false, isMarked: false };
  // Without a listener, ioredis prints errors to the console.
  client.on('error', (error: Error) => logUnavailable(logged, log, error));
  client.on('ready', () => {
    if (logged.isUnavailable) log.info({}, 'cache store available');
    logged.isUnavailable = false;
    checkServer(client, prefix, logged, log).catch(() => undefined);
  });
  return client;
}

interface CacheLogState {
  isUnavailable: boolean;
  policy: boolean;
  /** This process has written its marker there. */
  isMarked: boolean;
}

function logUnavailable(logged: CacheLogState, log: Log, error: Error): void {
  if (logged.isUnavailable) return;
  logged.isUnavailable = true;
  log.warn(
    { reason: error.message },
    'cache store unavailable; results are computed, requests with limits or revocations are rejected',
  );
}

/** Warns when the server evicts keys or has lost its data. */
async function checkServer(client: Redis, prefix: string, logged: CacheLogState, log: Log): Promise<void> {
  const isNew = (await client.set(`${prefix}here`, '1', 'NX')) === 'OK';
  if (isNew && logged.isMarked)
    log.warn({}, 'cache store is empty after a reconnect: counters and revoked tokens are lost');
  logged.isMarked = true;
  if (logged.policy) return;
  logged.policy = true;
  const policy = /maxmemory_policy:(\S+)/.exec(await client.info('memory'))?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    log.warn({ policy }, 'cache store evicts entries (maxmemory-policy): revoked tokens may be lost');
}
