/**
 * Keeps slow statements, and those with large results, off shared connections for a while. An unknown one is first
 * tried by one caller.
 */
const LATE_MS = 50;
const VERY_LATE_MS = 500;
/** Milliseconds for which other callers wait for the first. */
const TRY_MS = 250;
const TIMES = 3;
const FOR_MS = 10_000;

export interface SlowStatements {
  has(name: string): boolean;
  /** Ended within `TRY_MS`, and not slow since. */
  isQuick(name: string): boolean;
  /** For an unknown statement: `first` runs it, `wait` calls `again` after it, `late` is slow. */
  requestTurn(name: string, again: () => void): 'first' | 'wait' | 'late';
  /** `took`: milliseconds. */
  recordDuration(name: string, took: number): void;
  recordLarge(name: string): void;
  /** Its result was large a short while ago. */
  isLarge(name: string): boolean;
}

export function createSlowStatements(now: () => number = () => performance.now()): SlowStatements {
  const until = new Map<string, number>();
  const late = new Map<string, number>();
  const quick = new Set<string>();
  /** Until when a statement counts as large. */
  const large = new Map<string, number>();
  /** Callers waiting for the first; null: it is late. */
  const tried = new Map<string, (() => void)[] | null>();

  function finishTrial(name: string, late: boolean): void {
    const waiting = tried.get(name);
    if (late) tried.set(name, null);
    else tried.delete(name);
    for (const again of waiting ?? []) again();
  }
  return {
    has(name) {
      const end = until.get(name);
      if (end === undefined) return false;
      if (end > now()) return true;
      until.delete(name);
      return false;
    },
    isQuick: (name) => quick.has(name),
    requestTurn(name, again) {
      const waiting = tried.get(name);
      if (waiting === null) return 'late';
      if (waiting !== undefined) {
        waiting.push(again);
        return 'wait';
      }
      const own: (() => void)[] = [];
      tried.set(name, own);
      setTimeout(() => tried.get(name) === own && finishTrial(name, true), TRY_MS);
      return 'first';
    },
    recordDuration(name, took) {
      if (took <= TRY_MS) quick.add(name);
      if (tried.has(name)) finishTrial(name, took > TRY_MS);
      if (took <= LATE_MS) {
        late.delete(name);
        return;
      }
      const times = (late.get(name) ?? 0) + 1;
      if (times < TIMES && took <= VERY_LATE_MS) {
        late.set(name, times);
        return;
      }
      late.delete(name);
      quick.delete(name);
      until.set(name, now() + FOR_MS);
    },
    recordLarge: (name) => void large.set(name, now() + FOR_MS),
    isLarge(name) {
      const end = large.get(name);
      if (end === undefined || end > now()) return end !== undefined;
      large.delete(name);
      return false;
    },
  };
}
