/**
 * Kind `cache`: stores what may be lost but must be visible to every process: results, counters, revoked tokens. Keys
 * contain values of requests, so a store outside the process gets only hashes of them.
 */
import { defineKind } from '../../contract/kind.js';

export { cacheErrors } from './shared/errors.light.js';

export interface CacheReadResult {
  /** Null: nothing is stored. */
  readonly value: Uint8Array | null;
  /** Permits storing the value computed now, until the key is removed. */
  readonly lease: string;
}

export interface WindowCount {
  /** Number of calls in the window, including this one. */
  readonly count: number;
  /** Milliseconds to the end of the window. */
  readonly left: number;
}

export interface CacheEntry {
  readonly key: string;
  readonly bytes: number;
  /** Seconds until it expires. */
  readonly left: number;
}

type MaybePromise<T> = T | Promise<T>;

/** Rejects with CCH_AWAY within a second when the store is unavailable. */
export interface Cache {
  getValue(key: string): MaybePromise<CacheReadResult>;
  /** Stores a value for `seconds`, unless the key has one or was removed since the lease. */
  setValue(key: string, value: Uint8Array, seconds: number, lease: string): MaybePromise<void>;
  remove(keys: readonly string[]): MaybePromise<void>;
  /**
   * The right to compute the value of a key, among processes that share the store. 0: the token holds it; positive:
   * milliseconds until another's lock expires; negative: a value exists.
   */
  claim?(key: string, token: string, milliseconds: number): MaybePromise<number>;
  /** Releases the lock if the token still holds it. */
  release?(key: string, token: string): MaybePromise<void>;
  /** The first call opens a window of `seconds`. */
  count(key: string, seconds: number): MaybePromise<WindowCount>;
  /** Sets a flag for each key that expires after its `seconds`. */
  setFlags(entries: readonly { readonly key: string; readonly seconds: number }[]): MaybePromise<void>;
  hasFlag(key: string): MaybePromise<boolean>;
  /** Values for the console, last used first. Absent where keys cannot be read. */
  listEntries?(most: number): readonly CacheEntry[];
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
