/**
 * Which statements keep away from shared connections for a while, because those behind them would wait. One that is
 * once late proves little (a busy machine makes everything late); several times in a row, or very late, proves enough.
 */
const LATE_MS = 50;
const VERY_LATE_MS = 500;
const TIMES = 3;
const FOR_MS = 10_000;

export interface SlowStatements {
  has(name: string): boolean;
  /** Milliseconds for which a run held up its connection. */
  note(name: string, took: number): void;
}

export function createSlowStatements(now: () => number = () => performance.now()): SlowStatements {
  const until = new Map<string, number>();
  const late = new Map<string, number>();
  return {
    has(name) {
      if (until.size === 0) return false;
      const end = until.get(name);
      if (end === undefined) return false;
      if (end > now()) return true;
      until.delete(name);
      return false;
    },
    note(name, took) {
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
      until.set(name, now() + FOR_MS);
    },
  };
}
