/** Creates the Redis connection of the cache, and logs outages and possible data loss. */
import type { Redis } from 'ioredis';
import type { Log } from '../../../contract/plugin.js';
import { createRedisClient, type RedisAddress } from '../../shared/redis.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export type Client = Redis & Scripted;

export function createClient(address: RedisAddress, log: Log): Client {
  const { prefix } = address;
  const client = createRedisClient<Scripted>(address, SCRIPTS);
  const told: CacheLogState = { away: false, policy: false, seen: false };
  // Without a listener, ioredis prints errors to the console.
  client.on('error', (error: Error) => logUnavailable(told, log, error));
  client.on('ready', () => {
    if (told.away) log.info({}, 'the cache store is back');
    told.away = false;
    checkServer(client, prefix, told, log).catch(() => undefined);
  });
  return client;
}

interface CacheLogState {
  away: boolean;
  policy: boolean;
  /** This process has written its marker there. */
  seen: boolean;
}

function logUnavailable(told: CacheLogState, log: Log, error: Error): void {
  if (told.away) return;
  told.away = true;
  log.warn({ reason: error.message }, 'the cache store is away; results are computed, limits and revocations refuse');
}

/** Warns when the server evicts keys or has lost its data. */
async function checkServer(client: Redis, prefix: string, told: CacheLogState, log: Log): Promise<void> {
  const isNew = (await client.set(`${prefix}here`, '1', 'NX')) === 'OK';
  if (isNew && told.seen) log.warn({}, 'the cache store came back empty: counters and revoked tokens are forgotten');
  told.seen = true;
  if (told.policy) return;
  told.policy = true;
  const policy = /maxmemory_policy:(\S+)/.exec(await client.info('memory'))?.[1] ?? 'noeviction';
  if (policy !== 'noeviction')
    log.warn({ policy }, 'the cache store makes room by itself (maxmemory-policy): it may forget revoked tokens');
}
