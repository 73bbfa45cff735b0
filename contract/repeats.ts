/**
 * Retries work that rolled back because of a conflict, one at a time
 * in this process, because concurrent retries would conflict again.
 */
import type { Asker } from './asker.js';
import type { Clock } from './clock.js';
import { fault, type Fault } from './fault.js';
import { createLine } from './line.js';

const TRIES = 30;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/** `once` must roll back before it throws. `isMet`: whether a retry may succeed. */
export type Repeats = <T>(
  once: () => Promise<T>,
  isMet: (error: unknown) => boolean,
  asker?: Asker | null,
) => Promise<T>;

const busy = (seconds: number): Fault =>
  fault('REQ_BUSY', {}, { retryable: true, headers: { 'retry-after': String(seconds) } });

export function createRepeats(clock: Clock): Repeats {
  const { now, wait } = clock;
  const line = createLine(1, Infinity, busy, { clock });
  return async (once, isMet, asker = null) => {
    const end = asker?.invocation.deadline ?? Infinity;
    let leave = line.running > 0 ? await line.take(asker) : null;
    try {
      for (let attempt = 1; ; attempt++) {
        const began = now();
        try {
          return await once();
        } catch (error) {
          if (attempt >= TRIES || now() >= end || !isMet(error)) throw error;
        }
        await wait(Math.random() * longest(attempt, now() - began));
        leave ??= await line.take(asker);
      }
    } finally {
      leave?.();
    }
  };
}

/** Upper bound of the random pause; grows with the duration of an attempt, so that retries do not conflict again. */
const longest = (attempt: number, took: number): number =>
  Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, took) * 2 ** attempt);
