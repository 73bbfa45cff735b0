/**
 * The in-memory cache; values, counters and flags have separate limits. A lease is the number of removals so far: a key removed
 * since must not be stored with it.
 */
import { LRUCache } from 'lru-cache';
import { createFault } from '../../../contract/fault.js';
import type { Cache, CacheReadResult } from '../kind.js';
import { createExpiringMap } from './expiring.js';

export interface MemoryOptions {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly maxMarks?: number;
}

interface Entry {
  readonly value: Uint8Array;
  readonly until: number;
}

interface Window {
  count: number;
  readonly until: number;
}

/** Removals recorded by key; leases older than a dropped record are void for every key. */
const MAX_REMOVED = 10_000;
const MAX_MARKS = 1_000_000;
/** Copies a view of a larger buffer (a packet), which would otherwise be retained whole. */
const copyIfView = (value: Uint8Array): Uint8Array =>
  value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);

/** Approximate bytes of an entry besides its value and key. */
const OVERHEAD = 128;

export interface MemoryCache extends Cache {
  /** Leases issued before are void. */
  clear(): void;
}

export function createMemory({ maxEntries, maxBytes, now, maxMarks = MAX_MARKS }: MemoryOptions): MemoryCache {
  const values = new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => value.byteLength + key.length * 2 + OVERHEAD,
  });
  // Evicting a counter only allows another attempt; evicting a flag would make a revoked token valid again.
  const counts = createExpiringMap<Window>(maxMarks, 'drop', now);
  const marks = createExpiringMap<{ readonly until: number }>(maxMarks, 'refuse', now);
  const removed = new Map<string, number>();
  let removals = 0;
  /** Removals up to this number are no longer recorded. */
  let forgotten = 0;

  function recordRemoval(key: string): void {
    removed.delete(key);
    removed.set(key, ++removals);
    if (removed.size <= MAX_REMOVED) return;
    const [oldest] = removed;
    if (oldest === undefined) return;
    removed.delete(oldest[0]);
    forgotten = oldest[1];
  }

  return {
    clear() {
      values.clear();
      counts.clear();
      marks.clear();
      removed.clear();
      forgotten = ++removals;
    },
    getValue(key): CacheReadResult {
      const entry = values.get(key);
      if (entry !== undefined) {
        if (entry.until > now()) return { value: entry.value, lease: '' };
        values.delete(key);
      }
      return { value: null, lease: String(removals) };
    },
    setValue(key, value, seconds, lease) {
      const since = removed.get(key) ?? forgotten;
      if (lease === '' || Number(lease) < since) return;
      const known = values.peek(key);
      if (known !== undefined && known.until > now()) return;
      values.set(key, { value: copyIfView(value), until: now() + seconds * 1000 });
    },
    remove(keys) {
      for (const key of keys) {
        values.delete(key);
        recordRemoval(key);
      }
    },
    count(key, seconds) {
      const instant = now();
      const known = counts.get(key);
      if (known !== undefined) {
        known.count++;
        return { count: known.count, left: known.until - instant };
      }
      counts.set(key, { count: 1, until: instant + seconds * 1000 });
      return { count: 1, left: seconds * 1000 };
    },
    setFlags(entries) {
      for (const { key, seconds } of entries) {
        const until = Math.max(now() + seconds * 1000, marks.get(key)?.until ?? 0);
        if (!marks.set(key, { until }))
          throw createFault('CCH_AWAY', {}, { retryable: true, headers: { 'retry-after': '60' } });
      }
    },
    hasFlag: (key) => marks.get(key) !== undefined,
  };
}
