/**
 * Which statements keep away from shared connections for a while, because those behind them would wait. One that is
 * once late proves little (a busy machine makes everything late); several times in a row, or very late, proves enough.
 * One of which nothing is known is tried by the first that comes; the others hear how that went.
 */
const LATE_MS = 50;
const VERY_LATE_MS = 500;
/** The first one of a statement has so long until the others do without it; a busy machine takes its time. */
const TRY_MS = 250;
const TIMES = 3;
const FOR_MS = 10_000;

export interface SlowStatements {
  has(name: string): boolean;
  /** It was not late the last time. */
  isQuick(name: string): boolean;
  /**
   * Of one of which nothing is known: `first` is the one that is tried, `wait` calls `again` as soon as more is known, which is
   * soon, and `late` is known to take its time.
   */
  enter(name: string, again: () => void): 'first' | 'wait' | 'late';
  /** Milliseconds for which a run held up its connection. */
  note(name: string, took: number): void;
}

export function createSlowStatements(now: () => number = () => performance.now()): SlowStatements {
  const until = new Map<string, number>();
  const late = new Map<string, number>();
  const quick = new Set<string>();
  /** Those that wait for the first one, by name; null: it is late. */
  const tried = new Map<string, (() => void)[] | null>();

  function end(name: string, late: boolean): void {
    const waiting = tried.get(name);
    if (late) tried.set(name, null);
    else tried.delete(name);
    for (const again of waiting ?? []) again();
  }
  return {
    has(name) {
      if (until.size === 0) return false;
      const end = until.get(name);
      if (end === undefined) return false;
      if (end > now()) return true;
      until.delete(name);
      return false;
    },
    isQuick: (name) => quick.has(name),
    enter(name, again) {
      const waiting = tried.get(name);
      if (waiting === null) return 'late';
      if (waiting !== undefined) {
        waiting.push(again);
        return 'wait';
      }
      const own: (() => void)[] = [];
      tried.set(name, own);
      setTimeout(() => tried.get(name) === own && end(name, true), TRY_MS);
      return 'first';
    },
    note(name, took) {
      if (took <= TRY_MS) quick.add(name);
      if (tried.size > 0 && tried.has(name)) end(name, took > TRY_MS);
      if (took <= LATE_MS) {
        if (late.size > 0) late.delete(name);
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
  };
}
