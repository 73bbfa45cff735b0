/**
 * Looks at the store from time to time, and when something is due: after delayed work, after work whose process went silent, and after
 * work that nobody woke this process for. One timer; never two looks at once.
 */
import type { Log } from '../../../kernel/contract/plugin.js';
import { queueErrors } from '../../kinds/queue.js';
import type { Failure, Store } from './store.js';

/** What is noted of work whose process ended, or was silent for longer than its lease. */
export const LOST: Failure = { code: 'JOB_LOST', detail: queueErrors.JOB_LOST.message };

export interface Sweeper {
  /** Resolves after the first look, also where that failed. */
  start(): Promise<void>;
  /** Something is due in so many milliseconds. */
  later(milliseconds: number): void;
  stop(): Promise<void>;
}

export function createSweeper(sweep: Store['sweep'], poll: number, log: Log, wake: () => void): Sweeper {
  let timer: NodeJS.Timeout | undefined;
  let at = Infinity;
  let sweeping: Promise<void> | null = null;
  let missed = false;
  let on = false;

  function plan(milliseconds: number): void {
    const then = performance.now() + Math.max(1, milliseconds);
    if (!on || (timer !== undefined && then >= at)) return;
    clearTimeout(timer);
    at = then;
    timer = setTimeout(() => void look(), then - performance.now());
  }

  function look(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    at = Infinity;
    if (sweeping === null) sweeping = lookNow().finally(() => (sweeping = null));
    // What became due during a slow look may have come too late for it.
    else missed = true;
    return sweeping;
  }

  async function lookNow(): Promise<void> {
    let next = poll;
    try {
      const found = await sweep(LOST);
      for (const job of found.dead)
        log.error({ job, code: LOST.code }, 'deferred work was begun too often and is dead');
      if (found.woken > 0) log.debug({ count: found.woken }, 'deferred work may run now');
      next = Math.min(poll, found.next ?? poll);
    } catch {
      // Said where the store is watched; the next look may succeed.
    }
    // Others may have added work without a word.
    wake();
    plan(missed ? 0 : next);
    missed = false;
  }

  return {
    start() {
      on = true;
      return look();
    },
    later: plan,
    async stop() {
      on = false;
      clearTimeout(timer);
      timer = undefined;
      await sweeping;
    },
  };
}
