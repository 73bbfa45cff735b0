/** The cache on Redis. Every failure becomes CCH_AWAY within a second. */
import { createHash, randomUUID } from 'node:crypto';
import { createFault, type Fault } from '../../../contract/fault.js';
import type { Cache } from '../kind.js';
import { dropIfSilent } from '../../shared/redis.js';
import type { Client } from './connection.js';

/** Milliseconds in which a value must be computed. */
const LEASE_TIME = 60_000;

const createUnavailableFault = (cause: unknown): Fault =>
  createFault('CCH_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });

/** The server gets only hashes of client data. JSON escapes lone surrogates, which UTF-8 cannot distinguish. */
const hashKey = (key: string): string =>
  createHash('sha256')
    .update(SURROGATE.test(key) ? `!${JSON.stringify(key)}` : `:${key}`)
    .digest('base64url');
const SURROGATE = /\p{Surrogate}/u;

export function createRedisCache(client: Client, prefix: string): Cache {
  // Stores the keys of one entry in one slot.
  const valueKey = (key: string): string => `${prefix}v:{${hashKey(key)}}`;
  const leaseKey = (key: string): string => `${prefix}l:{${hashKey(key)}}`;
  const lockKey = (key: string): string => `${prefix}r:{${hashKey(key)}}`;
  const countKey = (key: string): string => `${prefix}c:${hashKey(key)}`;
  const markKey = (key: string): string => `${prefix}m:${hashKey(key)}`;

  async function runCommand<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      dropIfSilent(client, error);
      throw createUnavailableFault(error);
    }
  }

  return {
    getValue: (key) =>
      runCommand(async () => {
        const value = await client.getBuffer(valueKey(key));
        if (value !== null) return { value, lease: '' };
        return { value: null, lease: await client.lintelLease(leaseKey(key), randomUUID(), LEASE_TIME) };
      }),
    setValue: (key, value, seconds, lease) =>
      runCommand(async () => {
        const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        await client.lintelKeep(valueKey(key), leaseKey(key), lease, bytes, toMilliseconds(seconds));
      }),
    remove: (keys) =>
      runCommand(async () => {
        await Promise.all(keys.map((key) => client.del(valueKey(key), leaseKey(key))));
      }),
    claim: (key, token, milliseconds) =>
      runCommand(() => client.lintelClaim(valueKey(key), lockKey(key), token, Math.ceil(milliseconds))),
    release: (key, token) =>
      runCommand(async () => {
        await client.lintelRelease(lockKey(key), token);
      }),
    count: (key, seconds) =>
      runCommand(async () => {
        const [count, left] = await client.lintelCount(countKey(key), toMilliseconds(seconds));
        return { count, left };
      }),
    setFlags: (entries) =>
      runCommand(async () => {
        await Promise.all(entries.map(({ key, seconds }) => client.lintelMark(markKey(key), toMilliseconds(seconds))));
      }),
    hasFlag: (key) => runCommand(async () => (await client.exists(markKey(key))) === 1),
  };
}

const toMilliseconds = (seconds: number): number => Math.max(1, Math.ceil(seconds * 1000));
