/**
 * Kind `cache`: stores what may be lost but must be visible to every process: cached results, rate limit counters, revoked
 * tokens. The config selects one. Keys are opaque; callers must avoid collisions. Keys contain values of requests, which may be
 * secrets, so a store outside the process gets only hashes of them.
 */
import { defineKind } from '../../contract/kind.js';

export interface CacheReadResult {
  /** Null: nothing is stored. */
  readonly value: Uint8Array | null;
  /** Where nothing is stored: permits storing the value computed now; invalid once the key is removed. */
  readonly lease: string;
}

export interface WindowCount {
  /** Number of calls in the window, including this one. */
  readonly count: number;
  /** Milliseconds to the end of the window. */
  readonly left: number;
}

type MaybePromise<T> = T | Promise<T>;

/** Every method rejects with the Fault CCH_AWAY within one second when the store is unavailable. */
export interface Cache {
  getValue(key: string): MaybePromise<CacheReadResult>;
  /** Stores a value for `seconds`, unless the key was removed since the lease was issued, or has a value. */
  setValue(key: string, value: Uint8Array, seconds: number, lease: string): MaybePromise<void>;
  remove(keys: readonly string[]): MaybePromise<void>;
  /**
   * Lock among processes that share the store: the right to compute the value of a key. Returns 0 when the token holds it; a
   * positive number: milliseconds until another token's lock expires; a negative number: a value exists.
   */
  claim?(key: string, token: string, milliseconds: number): MaybePromise<number>;
  /** Releases the lock if the token still holds it. */
  release?(key: string, token: string): MaybePromise<void>;
  /** Increments the counter of the key; the first call opens a window of `seconds`. */
  count(key: string, seconds: number): MaybePromise<WindowCount>;
  /** Sets a flag for each key that expires after its `seconds`. */
  setFlags(entries: readonly { readonly key: string; readonly seconds: number }[]): MaybePromise<void>;
  hasFlag(key: string): MaybePromise<boolean>;
}

export const cache = defineKind<Cache>({
  kind: 'cache',
  title: 'Cache store',
  summary: 'Where cached results, rate-limit counters and revoked tokens are stored.',
  slots: ['config.cache'],
  select: { by: 'field', field: 'use' },
  config: {
    field: 'cache',
    doc: 'Where cached results, rate-limit counters and revoked tokens are stored.',
    many: false,
    load: 'when-required',
    tested: { use: 'memory' },
    default: ({ has }) => (has('REDIS_URL') ? { use: 'redis', url: '$ENV.REDIS_URL' } : 'memory'),
  },
  facts: {
    shared: { doc: 'All processes with the same config share the data.', type: 'boolean', required: true },
  },
  handle: ['getValue', 'setValue', 'remove', 'count', 'setFlags', 'hasFlag'],
  host: (fragment) => ({ file: 'config', json: { cache: fragment }, at: '/cache' }),
});
