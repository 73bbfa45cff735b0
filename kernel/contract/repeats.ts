/**
 * Work that is undone and done again when it met other work, and is then done one at a time in this process: works that met would meet
 * each other again, and some would use up their tries. Whatever comes meanwhile waits behind them, and holds nothing yet.
 */
import { createLine } from './line.js';

/** Work is tried this often in all. */
const TRIES = 30;
const SHORTEST_PAUSE_MS = 5;
const LONGEST_PAUSE_MS = 50;

/** In milliseconds. */
export interface Clock {
  readonly now: () => number;
  readonly wait: (time: number) => Promise<void>;
}

/** `once`: undoes itself before it throws. `isMet`: whether another try may go well. */
export type Repeats = <T>(once: () => Promise<T>, isMet: (error: unknown) => boolean) => Promise<T>;

export function createRepeats({ now, wait }: Clock): Repeats {
  const line = createLine(1, Infinity, () => new Error('the line of repeated work has no limit'));
  return async (once, isMet) => {
    let leave = line.running > 0 ? await line.take() : null;
    try {
      for (let attempt = 1; ; attempt++) {
        const began = now();
        try {
          return await once();
        } catch (error) {
          if (attempt >= TRIES || !isMet(error)) throw error;
        }
        await wait(Math.random() * longest(attempt, now() - began));
        leave ??= await line.take();
      }
    } finally {
      leave?.();
    }
  };
}

/** A random part of it is waited, more where a try takes longer: works that met do not run at the same time again. */
const longest = (attempt: number, took: number): number =>
  Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, took) * 2 ** attempt);
