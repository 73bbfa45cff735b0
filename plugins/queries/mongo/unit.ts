/**
 * The unit of work of document queries: neighbours on one store are one transaction where the deployment has transactions. Where it
 * has none, every query stands for itself, and nothing is tried again: what was written before the error is there already.
 */
import type { Unit } from '../../../kernel/contract/plan.js';
import { dialect } from '../../kinds/dialect.js';
import { documentStore, type DocumentStore, type DocumentTransaction } from '../../kinds/document-store.js';
import type { Query } from './statement.js';

/** What `frame.unit` holds while queries share one. */
export interface Opened {
  readonly transaction: DocumentTransaction | null;
}

/** Errors of queries that stood for themselves. */
const alone = new WeakSet<object>();

export function noteAlone(error: unknown): void {
  if (typeof error === 'object' && error !== null) alone.add(error);
}

interface DocumentUnit extends Unit {
  readonly queries: readonly Query[];
}

export function unitOf(store: DocumentStore, name: string, queries: readonly Query[]): DocumentUnit {
  const { on } = store;
  // What is locked stays as it is without a snapshot.
  const snapshot = queries.some(({ action, lock }) => action.reads === true && !lock);
  return {
    queries,
    key: `documents on ${name}`,
    shared: on
      ? { kind: dialect.kind, handle: on, of: (opened) => (opened as Opened).transaction?.transaction ?? null }
      : { kind: documentStore.kind, handle: store, of: (opened) => (opened as Opened).transaction },
    join(units, _closing, needs) {
      const all = (units as readonly DocumentUnit[]).flatMap((unit) => unit.queries);
      lockWhatFeedsWrites(all, needs);
      return unitOf(store, name, all);
    },
    open: async (): Promise<Opened> => ({ transaction: await store.begin(snapshot) }),
    commit: async (opened) => {
      const { transaction } = opened as Opened;
      if (transaction !== null) await store.commit(transaction);
    },
    rollback: async (opened) => {
      const { transaction } = opened as Opened;
      if (transaction !== null) await store.rollback(transaction);
    },
    retryable: (error) => !(typeof error === 'object' && error !== null && alone.has(error)) && store.retryable(error),
  };
}

/** A read that feeds a query which changes the same collection: who comes second waits instead of being refused. */
function lockWhatFeedsWrites(queries: readonly Query[], needs: readonly (readonly number[])[]): void {
  queries.forEach(({ action, collection }, index) => {
    if (action.changes !== true) return;
    for (const place of needs[index] ?? []) {
      const read = queries[place];
      if (read?.action.locks === true && read.collection === collection) read.lock = true;
    }
  });
}
