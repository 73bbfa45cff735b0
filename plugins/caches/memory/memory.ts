/**
 * The cache in memory. Values are bounded in number and bytes; counters and marks live apart from them. A lease is the number of
 * removals so far: what was removed since then may not be stored with it.
 */
import { LRUCache } from 'lru-cache';
import { fault } from '../../../kernel/contract/fault.js';
import type { Cache, Recall } from '../../kinds/cache.js';
import { createExpiring } from './expiring.js';

export interface MemoryOptions {
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Milliseconds; never goes back. */
  readonly now: () => number;
  /** Counters and marks at most, each; a default that tests make small. */
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

/** Removals that are remembered one by one; a lease older than what is forgotten is void for every key. */
const MAX_REMOVED = 10_000;
const MAX_MARKS = 1_000_000;
/** Bytes that are part of a larger piece (a packet) would keep all of it. */
const apart = (value: Uint8Array): Uint8Array =>
  value.byteLength === value.buffer.byteLength ? value : new Uint8Array(value);

/** What an entry takes beside its value and its key, about. */
const OVERHEAD = 128;

export function createMemory({ maxEntries, maxBytes, now, maxMarks = MAX_MARKS }: MemoryOptions): Cache {
  const values = new LRUCache<string, Entry>({
    max: maxEntries,
    maxSize: maxBytes,
    sizeCalculation: ({ value }, key) => value.byteLength + key.length * 2 + OVERHEAD,
  });
  // A counter that is forgotten early lets somebody try again; a mark that is forgotten early revives a revoked token.
  const counts = createExpiring<Window>(maxMarks, 'drop', now);
  const marks = createExpiring<{ readonly until: number }>(maxMarks, 'refuse', now);
  const removed = new Map<string, number>();
  let removals = 0;
  /** Removals up to this one are forgotten. */
  let forgotten = 0;

  function remember(key: string): void {
    removed.delete(key);
    removed.set(key, ++removals);
    if (removed.size <= MAX_REMOVED) return;
    const [oldest] = removed;
    if (oldest === undefined) return;
    removed.delete(oldest[0]);
    forgotten = oldest[1];
  }

  return {
    recall(key): Recall {
      const entry = values.get(key);
      if (entry !== undefined) {
        if (entry.until > now()) return { value: entry.value, lease: '' };
        values.delete(key);
      }
      return { value: null, lease: String(removals) };
    },
    keep(key, value, seconds, lease) {
      const since = removed.get(key) ?? forgotten;
      if (lease === '' || Number(lease) < since) return;
      const known = values.peek(key);
      if (known !== undefined && known.until > now()) return;
      values.set(key, { value: apart(value), until: now() + seconds * 1000 });
    },
    remove(keys) {
      for (const key of keys) {
        values.delete(key);
        remember(key);
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
    mark(entries) {
      for (const { key, seconds } of entries) {
        const until = Math.max(now() + seconds * 1000, marks.get(key)?.until ?? 0);
        if (!marks.set(key, { until }))
          throw fault('CCH_AWAY', {}, { retryable: true, headers: { 'retry-after': '60' } });
      }
    },
    isMarked: (key) => marks.get(key) !== undefined,
  };
}
