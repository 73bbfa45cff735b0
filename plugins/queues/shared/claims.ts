/** Claims jobs up to the concurrency limit. Concurrent requests share one statement. */
import { randomUUID } from 'node:crypto';
import type { ClaimedJob, QueueStore } from './store.js';

export interface Claims {
  /** Undefined when none is waiting or the limit is reached. Counts as held until `gone`. */
  next(): Promise<ClaimedJob | undefined>;
  releaseSlot(): void;
  countFree(): number;
  /** Releases the jobs that were not returned by `next`. */
  stop(): Promise<void>;
  /** Resolves when no job is held, or after `letGo`. */
  waitUntilIdle(): Promise<void>;
  /** Resolves `settled` although jobs are still held. */
  stopWaiting(): void;
}

export function createClaims(store: Pick<QueueStore, 'claimJobs' | 'release'>, limit: number, lease: number): Claims {
  const worker = randomUUID();
  const ready: ClaimedJob[] = [];
  let held = 0;
  let begun = 0;
  let stopped = false;
  let claiming: Promise<void> | null = null;
  let waiting: (() => void)[] | null = [];

  const countFree = (): number => (stopped ? 0 : limit - held - ready.length);

  async function claimBatch(): Promise<void> {
    begun++;
    try {
      ready.push(...(await store.claimJobs(`${worker}:${begun}`, countFree(), lease)));
    } finally {
      claiming = null;
    }
  }

  return {
    countFree,
    releaseSlot() {
      held--;
      if (held === 0) for (const wake of waiting?.splice(0) ?? []) wake();
    },
    async waitUntilIdle() {
      if (held > 0) await new Promise<void>((resolve) => (waiting === null ? resolve() : waiting.push(resolve)));
    },
    stopWaiting() {
      for (const wake of waiting ?? []) wake();
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
        if (countFree() <= 0 || (claiming === null && begun > before)) return undefined;
        await (claiming ??= claimBatch());
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
