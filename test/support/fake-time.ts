/** Time that a test makes pass: timers go by how long, the clock on the wall can be put. */
import type { TimeSource } from '../../plugins/triggers/scheduled-work/active-runs.js';

export interface FakeTime extends TimeSource {
  /** Passes so many milliseconds, timer by timer; what each sets going settles before the next. */
  advance(milliseconds: number): Promise<void>;
  /** Puts the clock; no time passes. */
  shiftClock(milliseconds: number): void;
  /** How long the longest timer ever asked for was. */
  readonly longest: number;
}

const flushTasks = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => setImmediate(resolve));
};

export function createFakeTime(start: string): FakeTime {
  let [passed, ahead, longest] = [0, Date.parse(start), 0];
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  return {
    now: () => passed + ahead,
    get longest() {
      return longest;
    },
    shiftClock: (milliseconds) => void (ahead += milliseconds),
    setTimer(milliseconds, call) {
      longest = Math.max(longest, milliseconds);
      const timer = { at: passed + milliseconds, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(milliseconds) {
      const end = passed + milliseconds;
      await flushTasks();
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        timers.delete(next);
        passed = Math.max(passed, next.at);
        next.call();
        await flushTasks();
      }
      passed = end;
      await flushTasks();
    },
  };
}
