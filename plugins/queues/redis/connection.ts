/** The connection of the queue to Redis, and what an operator should know of a server that may lose work. */
import type { Redis } from 'ioredis';
import type { Log } from '../../../kernel/contract/plugin.js';
import { connectionTo, type RedisAddress } from '../../shared/redis.js';
import { SCRIPTS, type Scripted } from './scripts.js';

export type Client = Redis & Scripted;

export function createClient(address: RedisAddress): Client {
  const client = connectionTo<Scripted>(address, SCRIPTS);
  // Without a listener ioredis prints errors by itself. That the store is away is told where it is used.
  client.on('error', () => undefined);
  return client;
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
