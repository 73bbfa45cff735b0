/**
 * A map whose entries end at an instant. Those that are over are swept when there are many more than the last sweep left, so
 * that each insertion costs the same in the long run; no timer is needed.
 */
export interface Expiring<T extends { readonly until: number }> {
  get(key: string): T | undefined;
  /** False: there is no room, and the oldest may not go. */
  set(key: string, entry: T): boolean;
}

const FIRST_SWEEP = 1024;
/** Milliseconds between two sweeps that may find nothing to sweep. */
const PAUSE = 1000;

/** `full`: what happens to the oldest entry when there is no room. Oldest is the one that was set first. */
export function createExpiring<T extends { readonly until: number }>(
  max: number,
  full: 'drop' | 'refuse',
  now: () => number,
): Expiring<T> {
  const entries = new Map<string, T>();
  let sweepAt = Math.min(max, FIRST_SWEEP);
  let sweptAt = -Infinity;

  function sweep(): void {
    const instant = now();
    // Full of what is not over: looking at everything for each insertion would take the process with it.
    if (entries.size >= max && instant - sweptAt < PAUSE) return;
    sweptAt = instant;
    for (const [key, { until }] of entries) if (until <= instant) entries.delete(key);
    sweepAt = Math.min(max, Math.max(FIRST_SWEEP, entries.size * 2));
  }

  function makeRoom(): boolean {
    if (entries.size < sweepAt) return true;
    sweep();
    if (entries.size < max) return true;
    if (full === 'refuse') return false;
    const [oldest] = entries.keys();
    if (oldest !== undefined) entries.delete(oldest);
    return true;
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined || entry.until > now()) return entry;
      entries.delete(key);
      return undefined;
    },
    set(key, entry) {
      const known = entries.delete(key);
      if (!known && !makeRoom()) return false;
      entries.set(key, entry);
      return true;
    },
  };
}
