/**
 * Transactions of document queries: consecutive ones on one store share one, if the deployment supports it. Otherwise
 * nothing is retried, because earlier writes persist.
 */
import type { Unit } from '../../../contract/plan.js';
import { dialect } from '../../dialects/kind.js';
import { documentStore, type DocumentStore, type DocumentTransaction } from '../../document-stores/kind.js';
import type { CompiledQuery } from './statement.js';

/** The value of `frame.unit` while queries share a transaction. */
export interface OpenUnit {
  readonly transaction: DocumentTransaction | null;
  /** Releases the collection turns of a unit without transaction. */
  readonly leave?: () => void;
}

/** Errors of queries that ran outside a transaction. */
const alone = new WeakSet<object>();

export function markOutsideTransaction(error: unknown): void {
  if (typeof error === 'object' && error !== null) alone.add(error);
}

interface DocumentUnit extends Unit {
  readonly queries: readonly CompiledQuery[];
  readonly repeated: boolean;
  /** Collections that others must not write, because queries read them. */
  readonly turns: readonly string[];
}

/**
 * Snapshots detect conflicting writes, not changed reads. Writes that depend on reads therefore run exclusively,
 * except on a single document.
 */
function listTurns(queries: readonly CompiledQuery[], repeated: boolean): readonly string[] {
  const isWritten = queries.some(({ action }) => action.reads !== true);
  if (!isWritten) return [];
  const isAlone = queries.length === 1 && !repeated;
  const isRewritten = ({ collection, where }: CompiledQuery): boolean =>
    queries.some((other) => other.action.changes === true && other.collection === collection && other.where === where);
  const isSafe = (query: CompiledQuery): boolean => {
    const { action, single, lock, merges } = query;
    if (action.reads === true) return single && lock && isRewritten(query);
    return action.changes === true ? single && !(merges && !isAlone) : true;
  };
  return queries.every(isSafe) ? [] : [...new Set(queries.flatMap(({ collections }) => collections))];
}

function describeIsolation(store: DocumentStore, queries: readonly CompiledQuery[], turns: readonly string[]): string {
  if (store.acquireTurns === undefined) return 'serializable';
  if (turns.length > 0) return `one at a time on ${turns.join(', ')}`;
  return queries.every(({ action }) => action.reads === true) ? 'snapshot' : 'snapshot, with locks of single documents';
}

const getTransaction = (opened: unknown): DocumentTransaction | null => (opened as OpenUnit).transaction;
/** For document stores in SQL tables. */
const getStatements = (opened: unknown): unknown => getTransaction(opened)?.transaction ?? null;

/** `repeated`: one query runs for each item. */
export function createDocumentUnit(
  store: DocumentStore,
  name: string,
  queries: readonly CompiledQuery[],
  repeated = false,
): DocumentUnit {
  const turns = store.acquireTurns === undefined ? [] : listTurns(queries, repeated);
  const { on } = store;
  // Locked documents need no snapshot.
  const snapshot = queries.some(({ action, lock }) => action.reads === true && !lock);
  return {
    queries,
    repeated,
    turns,
    describe: { isolation: describeIsolation(store, queries, turns) },
    key: `documents on ${name}`,
    shared: on
      ? { kind: dialect.kind, handle: on, of: getStatements }
      : { kind: documentStore.kind, handle: store, of: getTransaction },
    join(units, _closing, needs) {
      const joined = units as readonly DocumentUnit[];
      const all = joined.flatMap((unit) => unit.queries);
      lockReadsBeforeWrites(all, needs);
      return createDocumentUnit(
        store,
        name,
        all,
        joined.some((unit) => unit.repeated),
      );
    },
    open: async (frame): Promise<OpenUnit> => {
      const transaction = await store.begin(snapshot, frame);
      if (turns.length === 0) return { transaction };
      try {
        const leave = await store.acquireTurns?.(transaction, turns);
        return { transaction, ...(leave && { leave }) };
      } catch (error) {
        if (transaction !== null) await store.rollback(transaction);
        throw error;
      }
    },
    commit: async (opened) => {
      const { transaction, leave } = opened as OpenUnit;
      if (transaction !== null) await store.commit(transaction);
      leave?.();
    },
    rollback: async (opened) => {
      const { transaction, leave } = opened as OpenUnit;
      if (transaction !== null) await store.rollback(transaction);
      leave?.();
    },
    retryable: (error) => !(typeof error === 'object' && error !== null && alone.has(error)) && store.retryable(error),
  };
}

/** Locks reads that a later change depends on, so that a concurrent request waits instead of failing. */
function lockReadsBeforeWrites(queries: readonly CompiledQuery[], needs: readonly (readonly number[])[]): void {
  queries.forEach(({ action, collection }, index) => {
    if (action.changes !== true) return;
    for (const place of needs[index] ?? []) {
      const read = queries[place];
      if (read?.action.locks === true && read.collection === collection) read.lock = true;
    }
  });
}
