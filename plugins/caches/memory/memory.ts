/** The in-memory cache; values, counters and flags have separate limits. A lease is the number of removals so far. */
import { LRUCache } from 'lru-cache';
import { createFault } from '../../../contract/fault.js';
import type { Cache, CacheEntry, CacheReadResult } from '../kind.js';

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

/** By key; leases older than a dropped record are void. */
const MAX_REMOVED = 10_000;
const MAX_MARKS = 1_000_000;
/** A view (of a packet) would retain the whole buffer. */
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
  // Without a counter another attempt is possible; without a flag a revoked token is valid.
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
    listEntries(most) {
      const instant = now();
      const found: CacheEntry[] = [];
      for (const [key, { value, until }] of values.entries()) {
        if (found.length >= most) break;
        if (until > instant) found.push({ key, bytes: value.byteLength, left: Math.ceil((until - instant) / 1000) });
      }
      return found;
    },
  };
}

/** Sweeps only after much growth, so insertion is amortized O(1) and needs no timer. */
interface ExpiringMap<T extends { readonly until: number }> {
  get(key: string): T | undefined;
  /** False: the map is full, and entries must not be evicted. */
  set(key: string, entry: T): boolean;
  clear(): void;
}

const FIRST_SWEEP = 1024;
/** The least milliseconds between two sweeps of a full map. */
const PAUSE = 1000;

/** Evicts the oldest entry, or rejects the new one. */
function createExpiringMap<T extends { readonly until: number }>(
  max: number,
  full: 'drop' | 'refuse',
  now: () => number,
): ExpiringMap<T> {
  const entries = new Map<string, T>();
  let sweepAt = Math.min(max, FIRST_SWEEP);
  let sweptAt = -Infinity;

  function sweepExpired(): void {
    const instant = now();
    // A full map must not be scanned at each insertion.
    if (entries.size >= max && instant - sweptAt < PAUSE) return;
    sweptAt = instant;
    for (const [key, { until }] of entries) if (until <= instant) entries.delete(key);
    sweepAt = Math.min(max, Math.max(FIRST_SWEEP, entries.size * 2));
  }

  function ensureCapacity(): boolean {
    if (entries.size < sweepAt) return true;
    sweepExpired();
    if (entries.size < max) return true;
    if (full === 'refuse') return false;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
    return true;
  }

  return {
    clear: () => entries.clear(),
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined || entry.until > now()) return entry;
      entries.delete(key);
      return undefined;
    },
    set(key, entry) {
      const known = entries.delete(key);
      if (!known && !ensureCapacity()) return false;
      entries.set(key, entry);
      return true;
    },
  };
}
