/**
 * A ledger of scheduled runs in memory, for tests of schedulers: shared by several like by processes, and unavailable
 * on request.
 */
import { RETENTION_MS, type Ledger } from '../../plugins/schedulers/kind.js';

interface Row {
  form: string;
  latest: number;
  running: number | null;
  until: number;
  skipped: number;
  forgotten: number;
  readonly instants: Map<number, string>;
}

export interface MemoryLedger extends Ledger {
  isAway: boolean;
}

export function createMemoryLedger(now: () => number): MemoryLedger {
  const rows = new Map<string, Row>();
  const runQuery = async <T>(work: () => T): Promise<T> => {
    await Promise.resolve();
    if (ledger.isAway) throw new Error('away');
    return work();
  };
  const ensureRow = (key: string, since: number): Row => {
    const known = rows.get(key);
    if (known !== undefined) return known;
    const row = { form: '', latest: since, running: null, until: 0, skipped: 0, forgotten: 0, instants: new Map() };
    rows.set(key, row);
    return row;
  };
  const ledger: MemoryLedger = {
    isAway: false,
    claimRun: (key, instant, lease, by) =>
      runQuery(() => {
        const row = ensureRow(key, instant);
        const known = row.instants.get(instant);
        if (known === by) return row.running === instant ? 'mine' : 'busy';
        if (known !== undefined || instant <= row.forgotten) return 'taken';
        row.instants.set(instant, by);
        row.latest = Math.max(row.latest, instant);
        if (row.running !== null && row.until > now()) {
          row.skipped++;
          return 'busy';
        }
        Object.assign(row, { running: instant, until: now() + lease * 1000 });
        return 'mine';
      }),
    renewClaim: (key, instant, lease) =>
      runQuery(() => {
        const row = rows.get(key);
        if (row?.running !== instant) return false;
        row.until = now() + lease * 1000;
        return true;
      }),
    finishRun: (key, instant) =>
      runQuery(() => {
        const row = ensureRow(key, instant);
        if (row.running === instant) row.running = null;
        for (const old of row.instants.keys()) {
          if (old >= instant - RETENTION_MS) continue;
          row.instants.delete(old);
          row.forgotten = Math.max(row.forgotten, old);
        }
      }),
    resolveLatest: (key, form, since) =>
      runQuery(() => {
        const row = ensureRow(key, since);
        if (row.form !== form) row.latest = Math.max(row.latest, since);
        row.form = form;
        return row.latest;
      }),
    countSkipped: (key) => runQuery(() => rows.get(key)?.skipped ?? 0),
  };
  return ledger;
}
