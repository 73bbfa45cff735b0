/** Creates the Redis connection of the queue, and warns of settings that can lose jobs. */
import type { Redis } from 'ioredis';
import type { Log } from '../../../contract/plugin.js';
import { createRedisClient, type RedisAddress } from '../../shared/redis.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export type Client = Redis & Scripted;

export function createClient(address: RedisAddress): Client {
  const client = createRedisClient<Scripted>(address, SCRIPTS);
  // Without a listener, ioredis prints errors to the console.
  client.on('error', () => undefined);
  return client;
}

const readInfoField = (info: string, name: string): string | undefined =>
  new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1];

/** Rejects when the server is unavailable. */
export async function checkServerSettings(client: Redis, log: Log): Promise<void> {
  const info = await client.info();
  const version = readInfoField(info, 'redis_version') ?? '0';
  if (Number.parseInt(version, 10) < 7) log.error({ version }, 'queue needs Redis 7 or later: no job can be added');
  const policy = readInfoField(info, 'maxmemory_policy') ?? 'noeviction';
  if (policy.startsWith('allkeys'))
    log.error({ policy }, 'queue store evicts jobs when its memory is full: set `maxmemory-policy noeviction`');
  if (readInfoField(info, 'aof_enabled') === '1') return;
  // Some servers deny CONFIG.
  const snapshots = await client.config('GET', 'save').then(
    (found) => found[1] !== '',
    () => undefined,
  );
  if (snapshots === false)
    log.error({}, 'queue store without persistence: a restart loses all jobs (set `appendonly yes`)');
  else
    log.warn({}, 'queue store with snapshots only: a crash loses the jobs since the last one (set `appendonly yes`)');
}
