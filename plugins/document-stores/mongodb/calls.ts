/**
 * Runs calls alone, in a given transaction, or in their own one. Converts driver errors to Faults, with what is known of the
 * outcome.
 */
import type { ClientSession } from 'mongodb';
import type { Asker } from '../../../contract/asker.js';
import { fault } from '../../../contract/fault.js';
import { createRepeats } from '../../../contract/repeats.js';
import { clock } from '../../../language/project/clock.js';
import type { DocumentTransaction } from '../kind.js';
import type { Connection } from './connection.js';
import { isRetryable, isSelection, isUnsent, toFault } from './errors.js';
import { createTurns, hold } from './turns.js';

interface Open {
  readonly session: ClientSession;
  readonly asker: Asker | null;
  /** The transaction must be rolled back. */
  failed: boolean;
  ended: boolean;
  /** No call was made yet. */
  fresh: boolean;
  /** Ends the turn in this process. */
  leave: (() => void) | null;
}

export interface Session {
  /** Undefined outside a transaction. */
  readonly client: ClientSession | undefined;
  readonly asker: Asker | null;
}
type Work<T> = (session: Session) => Promise<T>;

export interface Calls {
  readonly call: <T>(
    inside: DocumentTransaction | null,
    writes: boolean,
    work: Work<T>,
    asker?: Asker | null,
  ) => Promise<T>;
  readonly together: <T>(inside: DocumentTransaction | null, work: Work<T>, asker?: Asker | null) => Promise<T>;
  /** A second caller waits until the transaction of the first has ended; without effect after the first call of a transaction. */
  readonly lock: (inside: DocumentTransaction | null, key: string) => Promise<void>;
  /**
   * Waits for these turns in this process and, with transactions, in all others. Null: without a transaction. The returned
   * function, or the end of the transaction, ends them.
   */
  readonly turn: (inside: DocumentTransaction | null, keys: readonly string[]) => Promise<() => void>;
  readonly begin: (asker?: Asker | null) => DocumentTransaction;
  readonly commit: (transaction: DocumentTransaction) => Promise<void>;
  readonly rollback: (transaction: DocumentTransaction) => Promise<void>;
}

export function createCalls(connection: () => Connection): Calls {
  const repeated = createRepeats(clock);

  async function call<T>(
    inside: DocumentTransaction | null,
    writes: boolean,
    work: (session: Session) => Promise<T>,
    asker: Asker | null = null,
  ): Promise<T> {
    if (inside !== null) {
      const open = openOf(inside);
      if (open.failed || open.ended) throw fault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
      open.fresh = false;
      try {
        return await inTime(work({ client: open.session, asker: open.asker }), open.asker, false);
      } catch (error) {
        open.failed = true;
        throw toFault(error);
      }
    }
    const sent = watched();
    try {
      return await inTime(work({ client: undefined, asker }), asker, writes);
    } catch (error) {
      throw toFault(error, writes && sent(error));
    }
  }

  /**
   * The returned function decides whether a write may have been sent. The driver's error describes only its last attempt; a lost
   * connection shows as a change of the server.
   */
  function watched(): (error: unknown) => boolean {
    const before = connection().reach();
    return (error) => {
      const { there, times } = connection().reach();
      const steady = before.there === there && before.times === times;
      return !steady || !(isSelection(error) ? !there : isUnsent(error));
    };
  }

  /** Runs several commands atomically where supported, and repeats them on conflicts. */
  async function together<T>(
    inside: DocumentTransaction | null,
    work: (session: Session) => Promise<T>,
    asker: Asker | null = null,
  ): Promise<T> {
    if (inside !== null || connection().alone) return call(inside, true, work, asker);
    const once = async (): Promise<T> => {
      const own = begin(asker);
      try {
        const result = await call(own, true, work);
        await commit(own);
        return result;
      } catch (error) {
        await rollback(own);
        throw error;
      }
    };
    return repeated(once, isRetryable, asker);
  }

  const turns = createTurns();

  /** Callers in this process queue in memory; those of other processes conflict on a server document. */
  async function lock(inside: DocumentTransaction | null, key: string): Promise<void> {
    if (inside === null) return;
    const open = openOf(inside);
    if (!open.fresh || open.ended) return;
    open.fresh = false;
    const deadline = leftOf(open.asker, connection().settings.deadline);
    const end = Date.now() + deadline;
    open.leave = await turns.take(key, deadline);
    try {
      await hold(connection(), open.session, [key], end);
    } catch (error) {
      open.failed = true;
      throw toFault(error);
    }
  }

  async function turn(inside: DocumentTransaction | null, keys: readonly string[]): Promise<() => void> {
    const deadline = leftOf(inside && openOf(inside).asker, connection().settings.deadline);
    const end = Date.now() + deadline;
    const taken: (() => void)[] = [];
    const leave = (): void => {
      for (const one of taken.splice(0)) one();
    };
    try {
      // The keys must have the same order everywhere, to prevent deadlocks.
      for (const key of keys) taken.push(await turns.take(key, deadline));
      if (inside === null) return leave;
      const open = openOf(inside);
      open.fresh = false;
      open.leave = leave;
      await hold(connection(), open.session, keys, end);
      return leave;
    } catch (error) {
      leave();
      throw toFault(error);
    }
  }

  function begin(asker: Asker | null = null): DocumentTransaction {
    const { client, settings } = connection();
    const session = client.startSession();
    session.startTransaction(settings.transaction);
    return { transaction: { session, asker, failed: false, ended: false, fresh: true, leave: null } satisfies Open };
  }

  async function commit(transaction: DocumentTransaction): Promise<void> {
    const open = openOf(transaction);
    if (open.failed) await rollback(transaction);
    if (open.failed || open.ended) throw fault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    open.ended = true;
    const sent = watched();
    try {
      await inTime(open.session.commitTransaction(), open.asker, true, LAST_WAIT_MS);
    } catch (error) {
      throw toFault(error, sent(error));
    } finally {
      open.leave?.();
      // Errors of the session do not affect a committed transaction.
      await open.session.endSession().catch(() => undefined);
    }
  }

  async function rollback(transaction: DocumentTransaction): Promise<void> {
    const open = openOf(transaction);
    if (open.ended) return;
    open.ended = true;
    await inTime(open.session.abortTransaction(), open.asker, false, LAST_WAIT_MS).catch(() => undefined);
    open.leave?.();
    await open.session.endSession().catch(() => undefined);
  }

  return { call, together, lock, turn, begin, commit, rollback };
}

/** The end of a transaction is awaited beyond the deadline of the request. */
const LAST_WAIT_MS = 1000;

/** In milliseconds, at most `most`. */
export const leftOf = (asker: Asker | null, most: number): number =>
  Math.max(1, Math.min(most, Math.ceil((asker?.invocation.deadline ?? Infinity) - performance.now())));

/** The server may still run the call until its own deadline. */
async function inTime<T>(work: Promise<T>, asker: Asker | null, writes: boolean, least = 0): Promise<T> {
  const left = (asker?.invocation.deadline ?? Infinity) - performance.now();
  if (left === Infinity) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const params = writes ? { outcome: 'Whether the last statement took effect is not known.' } : {};
    const failure = fault('QRY_TIMEOUT', params, { headers: { 'retry-after': '1' } });
    timer = setTimeout(() => reject(failure), Math.max(left, least));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const openOf = ({ transaction }: DocumentTransaction): Open => transaction as Open;
