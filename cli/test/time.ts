/**
 * The time of a test: what `Date` and `performance.now` return in this process. It stands still where a test gives an instant,
 * and moves on when a step waits. Timers are not changed, but bounded.
 */
import { hrtime } from 'node:process';

export interface TestTime {
  /** A case begins, at this instant (milliseconds) or now. */
  begin(instant: number | null): void;
  /** Milliseconds. */
  passTime(milliseconds: number): void;
  /** Until the function that it returns is called. Pauses may overlap. */
  pause(): () => void;
  /** Milliseconds of this machine since now, without pauses. */
  startStopwatch(): () => number;
  now(): number;
  /** The time of this machine, in milliseconds since 1970. */
  readRealTime(): number;
  restoreTime(): void;
}

/** The most milliseconds of a timer. */
const LONGEST = 2 ** 31 - 1;

export function replaceTime(): TestTime {
  const RealDate = globalThis.Date;
  const { now: realPerformance } = performance as { now: (this: typeof performance) => number };
  let instant: number | null = null;
  let passed = 0;
  /** What `performance.now` returned as time was stopped; null: time is not stopped. */
  let stopped: number | null = null;
  let passedInAll = 0;
  const readMachine = () => ({ date: RealDate.now(), performance: realPerformance.call(performance) });
  let pauses = 0;
  let pausedAt = readMachine();
  const lost = { date: 0, performance: 0 };
  const readRunning = (name: keyof typeof lost): number => (pauses > 0 ? pausedAt : readMachine())[name] - lost[name];
  const getNow = (): number => (instant ?? readRunning('date')) + passed;
  // Never goes back: it is compared with what earlier cases read.
  const performanceNow = (): number => (stopped ?? readRunning('performance')) + passedInAll;
  globalThis.Date = new Proxy(RealDate, {
    apply: () => new RealDate(getNow()).toString(),
    construct: (target, given: unknown[]) =>
      given.length === 0 ? new target(getNow()) : (Reflect.construct(target, given) as Date),
    get: (target, name) => (name === 'now' ? getNow : (Reflect.get(target, name) as unknown)),
  });
  performance.now = performanceNow;
  const realSetTimeout = globalThis.setTimeout;
  // The embedded database sets timers of years where a test gives an instant in the past.
  globalThis.setTimeout = new Proxy(realSetTimeout, {
    apply: (target, self, [call, milliseconds, ...given]: [() => void, number?, ...unknown[]]) =>
      Reflect.apply(target, self, [call, Math.min(milliseconds ?? 0, LONGEST), ...given]) as NodeJS.Timeout,
  });
  return {
    begin(given) {
      instant = given;
      stopped = given === null ? null : readRunning('performance');
      passed = lost.date = 0;
    },
    passTime(milliseconds) {
      passed += milliseconds;
      passedInAll += milliseconds;
    },
    pause() {
      if (pauses++ === 0) pausedAt = readMachine();
      return () => {
        if (--pauses > 0) return;
        const { date, performance: time } = readMachine();
        lost.date += date - pausedAt.date;
        lost.performance += time - pausedAt.performance;
      };
    },
    startStopwatch() {
      const start = readRunning('performance');
      return () => readRunning('performance') - start;
    },
    now: getNow,
    readRealTime: () => RealDate.now(),
    restoreTime() {
      globalThis.Date = RealDate;
      performance.now = realPerformance;
      globalThis.setTimeout = realSetTimeout;
    },
  };
}

/** Milliseconds since a start, which tests cannot move. */
export function startStopwatch(): () => number {
  const start = hrtime.bigint();
  return () => Number(hrtime.bigint() - start) / 1e6;
}
