/**
 * Takes work out of the store, never more than may run at once, and hands it out one by one. Claims never overlap: several that want
 * work at the same time share one statement.
 */
import { randomUUID } from 'node:crypto';
import type { Claimed, Store } from './store.js';

export interface Claims {
  /** The next work to begin; undefined when nothing waits, or as much runs as may. Counts as held until `gone`. */
  next(): Promise<Claimed | undefined>;
  gone(): void;
  /** How much more may be taken. */
  free(): number;
  /** Takes nothing more; gives back what was not handed out. */
  stop(): Promise<void>;
  /** Resolves when nothing is held any more, or nobody is to wait for it. */
  settled(): Promise<void>;
  /** Nobody waits for what is held. */
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
      // What was added before this call is seen by a claim that begins after it.
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
