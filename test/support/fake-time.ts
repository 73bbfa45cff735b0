/** Time that a test makes pass: timers go by how long, the clock on the wall can be put. */
import type { Time } from '../../plugins/features/cron-job/clock.js';

export interface FakeTime extends Time {
  /** Passes so many milliseconds, timer by timer; what each sets going settles before the next. */
  pass(milliseconds: number): Promise<void>;
  /** Puts the clock; no time passes. */
  put(milliseconds: number): void;
  /** How long the longest timer ever asked for was. */
  readonly longest: number;
}

const settle = async (): Promise<void> => {
  for (let n = 0; n < 5; n++) await new Promise<void>((resolve) => setImmediate(resolve));
};

export function fakeTime(start: string): FakeTime {
  let [passed, ahead, longest] = [0, Date.parse(start), 0];
  const timers = new Set<{ readonly at: number; readonly call: () => void }>();
  return {
    now: () => passed + ahead,
    get longest() {
      return longest;
    },
    put: (milliseconds) => void (ahead += milliseconds),
    after(milliseconds, call) {
      longest = Math.max(longest, milliseconds);
      const timer = { at: passed + milliseconds, call };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async pass(milliseconds) {
      const end = passed + milliseconds;
      await settle();
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        timers.delete(next);
        passed = Math.max(passed, next.at);
        next.call();
        await settle();
      }
      passed = end;
      await settle();
    },
  };
}
