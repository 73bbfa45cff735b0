/** Timers and `performance.now` of this process, passed by hand, for code that is not given a source of time. */
import { AsyncLocalStorage } from 'node:async_hooks';

export interface ManualTime {
  /** Milliseconds since the start. */
  readonly now: () => number;
  /** Advances timer by timer; the effects of each settle before the next. */
  readonly advance: (milliseconds: number) => Promise<void>;
  /** How many wait. */
  readonly timers: () => number;
  /** The milliseconds until the next timer; null if none waits. */
  readonly next: () => number | null;
  readonly restoreGlobals: () => void;
}

interface Timer {
  at: number;
  readonly call: () => void;
  /** As timers of Node have it; these keep no process alive. */
  readonly unref: () => Timer;
}

const flushTasks = async (): Promise<void> => {
  for (let n = 0; n < 3; n++) await new Promise<void>((resolve) => setImmediate(resolve));
};

/** Distinguishes the code under test from other code of the process, whose timers stay real. */
const contexts = new AsyncLocalStorage<ManualTime['now']>();

export function replaceTime(): ManualTime {
  const { setTimeout: realSet, clearTimeout: realClear, setInterval: realRepeat, clearInterval: realStop } = globalThis;
  const { now: realNow } = performance as { now: (this: typeof performance) => number };
  const timers = new Set<Timer>();
  let now = 0;
  const ownNow = (): number => now;
  contexts.enterWith(ownNow);
  const isOwn = (): boolean => contexts.getStore() === ownNow;
  const set = (call: () => void, milliseconds = 0): Timer => {
    const timer: Timer = { at: now + Math.max(1, milliseconds), call, unref: () => timer };
    timers.add(timer);
    return timer;
  };
  const repeatCall = (call: () => void, milliseconds = 0): Timer => {
    const callAndReschedule = (): void => {
      timer.at = now + Math.max(1, milliseconds);
      timers.add(timer);
      call();
    };
    const timer = set(callAndReschedule, milliseconds);
    return timer;
  };
  const clear = (timer: unknown): void => {
    if (!timers.delete(timer as Timer)) realClear(timer as NodeJS.Timeout);
  };
  const selectTimer = (own: typeof set, real: typeof setTimeout): typeof setTimeout =>
    ((...given: Parameters<typeof set>) => (isOwn() ? own(...given) : real(...given))) as typeof setTimeout;
  globalThis.setTimeout = selectTimer(set, realSet);
  globalThis.clearTimeout = clear;
  globalThis.setInterval = selectTimer(repeatCall, realRepeat as typeof setTimeout);
  globalThis.clearInterval = clear;
  performance.now = ownNow;
  return {
    now: ownNow,
    async advance(milliseconds) {
      const end = now + milliseconds;
      await flushTasks();
      for (;;) {
        const [next] = [...timers].sort((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) break;
        timers.delete(next);
        now = Math.max(now, next.at);
        next.call();
        await flushTasks();
      }
      now = end;
    },
    timers: () => timers.size,
    next: () => (timers.size === 0 ? null : Math.min(...[...timers].map(({ at }) => at)) - now),
    restoreGlobals() {
      globalThis.setTimeout = realSet;
      globalThis.clearTimeout = realClear;
      globalThis.setInterval = realRepeat;
      globalThis.clearInterval = realStop;
      performance.now = realNow;
    },
  };
}
