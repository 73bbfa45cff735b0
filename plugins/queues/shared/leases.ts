/**
 * Keeps the leases of what runs: all of them in one round trip, every third of a lease. Who lost one is told at once; so is
 * everybody when the store could not be asked for a whole lease, because others may have the work by then.
 */
import type { Held, Store } from './store.js';

/** Work that is being done. */
export interface Holding extends Held {
  /** The lease is lost, or taken away: the run is of no use any more. */
  readonly abort: AbortController;
  /** By `performance.now`. */
  renewedAt: number;
  lost: boolean;
}

export interface Leases {
  readonly all: ReadonlySet<Holding>;
  begin(held: Held): Holding;
  end(holding: Holding): void;
  /** Forgets all of them and tells their runs; gives what they held. */
  surrender(): readonly Held[];
}

export function createLeases(renew: Store['renew'], lease: number): Leases {
  const all = new Set<Holding>();
  let timer: NodeJS.Timeout | undefined;

  function lose(holding: Holding): void {
    holding.lost = true;
    all.delete(holding);
    holding.abort.abort(new Error('the lease is lost'));
  }

  async function beat(): Promise<void> {
    const asked = [...all];
    if (asked.length === 0) return plan();
    const at = performance.now();
    try {
      const still = await renew(asked, lease);
      for (const holding of asked) {
        if (still.has(holding.id)) holding.renewedAt = at;
        else if (all.has(holding)) lose(holding);
      }
    } catch {
      const now = performance.now();
      for (const holding of asked) if (all.has(holding) && now - holding.renewedAt >= lease) lose(holding);
    }
    plan();
  }

  /** In a third of a lease, or sooner when one would end before. */
  function plan(): void {
    clearTimeout(timer);
    timer = undefined;
    if (all.size === 0) return;
    const now = performance.now();
    const first = Math.min(...[...all].map(({ renewedAt }) => renewedAt + lease - now));
    timer = setTimeout(() => void beat(), Math.max(1, Math.min(lease / 3, first)));
  }

  return {
    all,
    begin({ id, token }) {
      const holding: Holding = { id, token, abort: new AbortController(), renewedAt: performance.now(), lost: false };
      all.add(holding);
      if (timer === undefined) plan();
      return holding;
    },
    end(holding) {
      all.delete(holding);
    },
    surrender() {
      const given = [...all];
      given.forEach(lose);
      clearTimeout(timer);
      timer = undefined;
      return given;
    },
  };
}
