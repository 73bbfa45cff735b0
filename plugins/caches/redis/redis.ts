/** The cache on Redis. Every failure becomes CCH_AWAY within a second; driver messages go only to the log. */
import { createHash, randomUUID } from 'node:crypto';
import { fault, type Fault } from '../../../contract/fault.js';
import type { Cache } from '../kind.js';
import { giveUpIfSilent } from '../../shared/redis.js';
import type { Client } from './connection.js';

/** Milliseconds in which a value must be computed; longer than any request may take. */
const LEASE_TIME = 60_000;

const away = (cause: unknown): Fault =>
  fault('CCH_AWAY', {}, { cause, retryable: true, headers: { 'retry-after': '1' } });

/** Keys contain client data, so the server gets only hashes. JSON escapes lone surrogates, which UTF-8 cannot distinguish. */
const hashed = (key: string): string =>
  createHash('sha256')
    .update(SURROGATE.test(key) ? `!${JSON.stringify(key)}` : `:${key}`)
    .digest('base64url');
const SURROGATE = /\p{Surrogate}/u;

export function createRedisCache(client: Client, prefix: string): Cache {
  // The hash tag stores the keys of one entry in the same slot of a cluster.
  const valueKey = (key: string): string => `${prefix}v:{${hashed(key)}}`;
  const leaseKey = (key: string): string => `${prefix}l:{${hashed(key)}}`;
  const rightKey = (key: string): string => `${prefix}r:{${hashed(key)}}`;
  const countKey = (key: string): string => `${prefix}c:${hashed(key)}`;
  const markKey = (key: string): string => `${prefix}m:${hashed(key)}`;

  async function ask<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      giveUpIfSilent(client, error);
      throw away(error);
    }
  }

  return {
    recall: (key) =>
      ask(async () => {
        const value = await client.getBuffer(valueKey(key));
        if (value !== null) return { value, lease: '' };
        return { value: null, lease: await client.lintelLease(leaseKey(key), randomUUID(), LEASE_TIME) };
      }),
    keep: (key, value, seconds, lease) =>
      ask(async () => {
        const bytes = Buffer.from(value.buffer, value.byteOffset, value.byteLength);
        await client.lintelKeep(valueKey(key), leaseKey(key), lease, bytes, whole(seconds));
      }),
    remove: (keys) =>
      ask(async () => {
        await Promise.all(keys.map((key) => client.del(valueKey(key), leaseKey(key))));
      }),
    claim: (key, token, milliseconds) =>
      ask(() => client.lintelClaim(valueKey(key), rightKey(key), token, Math.ceil(milliseconds))),
    release: (key, token) =>
      ask(async () => {
        await client.lintelRelease(rightKey(key), token);
      }),
    count: (key, seconds) =>
      ask(async () => {
        const [count, left] = await client.lintelCount(countKey(key), whole(seconds));
        return { count, left };
      }),
    mark: (entries) =>
      ask(async () => {
        await Promise.all(entries.map(({ key, seconds }) => client.lintelMark(markKey(key), whole(seconds))));
      }),
    isMarked: (key) => ask(async () => (await client.exists(markKey(key))) === 1),
  };
}

const whole = (seconds: number): number => Math.max(1, Math.ceil(seconds * 1000));
