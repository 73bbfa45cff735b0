/** A map with expiring entries. Sweeps only after much growth, so insertion is amortized O(1) and needs no timer. */
export interface ExpiringMap<T extends { readonly until: number }> {
  get(key: string): T | undefined;
  /** False: the map is full, and entries must not be evicted. */
  set(key: string, entry: T): boolean;
  clear(): void;
}

const FIRST_SWEEP = 1024;
/** The least milliseconds between two sweeps of a full map. */
const PAUSE = 1000;

/** `full`: whether a full map evicts its oldest entry or rejects the new one. */
export function createExpiringMap<T extends { readonly until: number }>(
  max: number,
  full: 'drop' | 'refuse',
  now: () => number,
): ExpiringMap<T> {
  const entries = new Map<string, T>();
  let sweepAt = Math.min(max, FIRST_SWEEP);
  let sweptAt = -Infinity;

  function sweepExpired(): void {
    const instant = now();
    // A map full of unexpired entries must not be scanned at each insertion.
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
