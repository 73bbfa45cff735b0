/**
 * Renews all leases. Aborts a run when its lease is lost, or the store was unavailable for as long: another process
 * may have claimed the job.
 */
import type { JobLease, QueueStore } from './store.js';

export interface LeaseHandle extends JobLease {
  /** Aborted when the lease is lost: the result is discarded. */
  readonly abort: AbortController;
  /** In the time of `performance.now`. */
  renewedAt: number;
  lost: boolean;
}

export interface Leases {
  readonly all: ReadonlySet<LeaseHandle>;
  begin(held: JobLease): LeaseHandle;
  removeLease(holding: LeaseHandle): void;
  /** Removes all leases, aborts their runs and returns them. */
  forfeitAll(): readonly JobLease[];
}

export function createLeases(renew: QueueStore['renewLeases'], lease: number): Leases {
  const all = new Set<LeaseHandle>();
  let timer: NodeJS.Timeout | undefined;

  function loseLease(holding: LeaseHandle): void {
    holding.lost = true;
    all.delete(holding);
    holding.abort.abort(new Error('the lease is lost'));
  }

  async function renewAll(): Promise<void> {
    const asked = [...all];
    if (asked.length === 0) return plan();
    const at = performance.now();
    try {
      const still = await renew(asked, lease);
      for (const holding of asked) {
        if (still.has(holding.id)) holding.renewedAt = at;
        else if (all.has(holding)) loseLease(holding);
      }
    } catch {
      const now = performance.now();
      for (const holding of asked) if (all.has(holding) && now - holding.renewedAt >= lease) loseLease(holding);
    }
    plan();
  }

  /** In a third of a lease, or sooner when a lease would expire before. */
  function plan(): void {
    clearTimeout(timer);
    timer = undefined;
    if (all.size === 0) return;
    const now = performance.now();
    const first = Math.min(...[...all].map(({ renewedAt }) => renewedAt + lease - now));
    timer = setTimeout(() => void renewAll(), Math.max(1, Math.min(lease / 3, first)));
  }

  return {
    all,
    begin({ id, token }) {
      const holding: LeaseHandle = {
        id,
        token,
        abort: new AbortController(),
        renewedAt: performance.now(),
        lost: false,
      };
      all.add(holding);
      if (timer === undefined) plan();
      return holding;
    },
    removeLease(holding) {
      all.delete(holding);
    },
    forfeitAll() {
      const given = [...all];
      given.forEach(loseLease);
      clearTimeout(timer);
      timer = undefined;
      return given;
    },
  };
}
