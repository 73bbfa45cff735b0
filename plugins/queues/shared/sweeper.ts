/** Sweeps the store periodically and when a job is due: for delayed jobs, expired leases and missed notifications. */
import type { Log } from '../../../contract/plugin.js';
import { queueErrors } from '../kind.js';
import type { Failure, QueueStore } from './store.js';

/** The process ended, or did not renew the lease in time. */
export const LOST: Failure = { code: 'JOB_LOST', detail: queueErrors.JOB_LOST.message };

export interface Sweeper {
  /** Resolves after the first sweep, even if it failed. */
  start(): Promise<void>;
  scheduleSweep(milliseconds: number): void;
  stop(): Promise<void>;
}

export function createSweeper(sweep: QueueStore['sweepJobs'], poll: number, log: Log, wake: () => void): Sweeper {
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
    timer = setTimeout(() => void sweepOnce(), then - performance.now());
  }

  function sweepOnce(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    at = Infinity;
    if (sweeping === null) sweeping = runSweep().finally(() => (sweeping = null));
    // A running sweep may have missed the job.
    else missed = true;
    return sweeping;
  }

  async function runSweep(): Promise<void> {
    let next = poll;
    try {
      const found = await sweep(LOST);
      for (const job of found.dead) log.error({ job, code: LOST.code }, 'job is dead: too many attempts');
      if (found.woken > 0) log.debug({ count: found.woken }, 'jobs due');
      next = Math.min(poll, found.next ?? poll);
    } catch {
      // The watch logs the failure.
    }
    // Notifications from other processes may be lost.
    wake();
    plan(missed ? 0 : next);
    missed = false;
  }

  return {
    start() {
      on = true;
      return sweepOnce();
    },
    scheduleSweep: plan,
    async stop() {
      on = false;
      clearTimeout(timer);
      timer = undefined;
      await sweeping;
    },
  };
}
