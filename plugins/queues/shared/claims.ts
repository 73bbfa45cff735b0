/** Claims jobs up to the concurrency limit and returns them one by one. Concurrent requests share one statement. */
import { randomUUID } from 'node:crypto';
import type { Claimed, Store } from './store.js';

export interface Claims {
  /** Undefined when none is waiting or the limit is reached. The job counts as held until `gone`. */
  next(): Promise<Claimed | undefined>;
  gone(): void;
  free(): number;
  /** Releases the jobs that were not returned by `next`. */
  stop(): Promise<void>;
  /** Resolves when no job is held, or after `letGo`. */
  settled(): Promise<void>;
  /** Resolves `settled` although jobs are still held. */
  letGo(): void;
}

export function createClaims(store: Pick<Store, 'claim' | 'release'>, limit: number, lease: number): Claims {
  const worker = randomUUID();
  const ready: Claimed[] = [];
  let held = 0;
  let begun = 0;
  let stopped = false;
  let claiming: Promise<void> | null = null;
  let waiting: (() => void)[] | null = [];

  const free = (): number => (stopped ? 0 : limit - held - ready.length);

  async function claim(): Promise<void> {
    begun++;
    try {
      ready.push(...(await store.claim(`${worker}:${begun}`, free(), lease)));
    } finally {
      claiming = null;
    }
  }

  return {
    free,
    gone() {
      held--;
      if (held === 0) for (const tell of waiting?.splice(0) ?? []) tell();
    },
    async settled() {
      if (held > 0) await new Promise<void>((resolve) => (waiting === null ? resolve() : waiting.push(resolve)));
    },
    letGo() {
      for (const tell of waiting ?? []) tell();
      waiting = null;
    },
    async next() {
      // Only a claim that begins after this call sees the jobs added before it.
      for (const before = begun; !stopped;) {
        const first = ready.shift();
        if (first !== undefined) {
          held++;
          return first;
        }
        if (free() <= 0 || (claiming === null && begun > before)) return undefined;
        await (claiming ??= claim());
      }
      return undefined;
    },
    async stop() {
      stopped = true;
      await claiming?.catch(() => undefined);
      const unused = ready.splice(0);
      if (unused.length > 0) await store.release(unused);
    },
  };
}
