/** Manual time: timers run by their duration, and the clock can be set. */
import type { TimeSource } from '../../plugins/triggers/scheduled-work/active-runs.js';

export interface FakeTime extends TimeSource {
  /** Advances by milliseconds, timer by timer; the effects of each settle before the next. */
  advance(milliseconds: number): Promise<void>;
  /** Sets the clock; no time passes. */
  shiftClock(milliseconds: number): void;
  /** The longest timer ever set. */
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
