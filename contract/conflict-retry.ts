/** Retries work after a conflict, one at a time in this process, because concurrent retries would conflict again. */
import type { Requester } from './requester.js';
import type { Clock } from './clock.js';
import { createFault, type Fault } from './fault.js';
import { createLimiter } from './limiter.js';

const TRIES = 30;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/** `once` must roll back before it throws. `isMet`: whether a retry may succeed. */
export type RetryOnConflict = <T>(
  once: () => Promise<T>,
  isMet: (error: unknown) => boolean,
  requester?: Requester | null,
) => Promise<T>;

const createBusyFault = (seconds: number): Fault =>
  createFault('REQ_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } });

export function createConflictRetry(clock: Clock): RetryOnConflict {
  const { now, wait } = clock;
  // Conflicts of a burst arrive over seconds, which looks like overload.
  const line = createLimiter(1, Infinity, createBusyFault, { clock, detectsOverload: false });
  return async (once, isMet, requester = null) => {
    const end = requester?.invocation.deadline ?? Infinity;
    let leave = line.running > 0 ? await line.acquire(requester) : null;
    try {
      for (let attempt = 1; ; attempt++) {
        const began = now();
        try {
          return await once();
        } catch (error) {
          if (attempt >= TRIES || now() >= end || !isMet(error)) throw error;
        }
        await wait(Math.random() * getLongestPause(attempt, now() - began));
        leave ??= await line.acquire(requester);
      }
    } finally {
      leave?.();
    }
  };
}

/** For each unit, its own retries. */
export function createConflictRetries(clock: Clock): (unit: object) => RetryOnConflict {
  const retries = new WeakMap<object, RetryOnConflict>();
  return (unit) => {
    const known = retries.get(unit) ?? createConflictRetry(clock);
    retries.set(unit, known);
    return known;
  };
}

/** Bound of the random pause; grows with the duration of an attempt. */
const getLongestPause = (attempt: number, took: number): number =>
  Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, took) * 2 ** attempt);
