/**
 * Removes remains of failed uploads in the background until the server answers. A key may be added only if no other upload can
 * own it.
 */
import type { Log } from '../../../contract/plugin.js';
import { getStorageErrorCode } from './errors.js';

export interface Leftover {
  readonly key: string;
  /** A multipart upload, with its id if known. */
  readonly parts: { readonly id: string | null } | null;
}

export interface Sweep {
  add(leftover: Leftover): void;
  /** Tries once more, and logs what remains. */
  close(): Promise<void>;
}

const FIRST_MS = 250;
const LONGEST_MS = 60_000;
/** With these pauses, about half an hour. */
const TRIES = 35;
/** Limits the list when the server never comes back. */
const MOST = 10_000;

export function createSweep(clear: (leftover: Leftover) => Promise<void>, log: Log): Sweep {
  const waiting = new Map<string, { readonly leftover: Leftover; tries: number }>();
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | null = null;
  let pauseMs = FIRST_MS;
  let isClosed = false;

  const abandonLeftover = (key: string, why: string): void => {
    waiting.delete(key);
    log.warn({ key, why }, 'failed upload not removed from the bucket');
  };

  async function clearAll(): Promise<void> {
    for (const [key, entry] of [...waiting]) {
      try {
        await clear(entry.leftover);
        waiting.delete(key);
        pauseMs = FIRST_MS;
      } catch (error) {
        entry.tries += 1;
        if (entry.tries >= TRIES) abandonLeftover(key, getStorageErrorCode(error));
        // The others would fail the same way.
        else break;
      }
    }
  }

  function start(): void {
    timer = undefined;
    running ??= clearAll().finally(() => {
      running = null;
      if (waiting.size === 0 || isClosed) return;
      timer = setTimeout(start, pauseMs);
      timer.unref();
      pauseMs = Math.min(pauseMs * 2, LONGEST_MS);
    });
  }

  return {
    add(leftover) {
      if (waiting.size >= MOST) return abandonLeftover(leftover.key, 'too many are waiting');
      // Keeps parts that are already known.
      const parts = leftover.parts ?? waiting.get(leftover.key)?.leftover.parts ?? null;
      waiting.set(leftover.key, { leftover: { key: leftover.key, parts }, tries: 0 });
      if (timer === undefined && !isClosed) start();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await running;
      await clearAll();
      for (const key of [...waiting.keys()]) abandonLeftover(key, 'the server did not answer');
    },
  };
}
