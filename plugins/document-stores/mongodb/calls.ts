/** Runs calls alone, in a given transaction, or in their own. Converts driver errors to Faults. */
import type { ClientSession } from 'mongodb';
import type { Requester } from '../../../contract/requester.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import { createConflictRetry } from '../../../contract/conflict-retry.js';
import { createLimiter, type Limiter, type ReleaseSlot } from '../../../contract/limiter.js';
import { clock } from '../../../language/project/clock.js';
import { toUnknownOutcome } from '../../shared/unknown-outcome.js';
import type { DocumentTransaction } from '../kind.js';
import type { MongoConnection } from './connection.js';
import { isMongoRetryable, isSelection, isUnsent, toMongoFault } from './errors.js';
import { createTurnLock, createTurnQueue } from './turns.js';

interface OpenTransaction {
  readonly session: ClientSession;
  readonly requester: Requester | null;
  /** The transaction must be rolled back. */
  failed: boolean;
  ended: boolean;
  /** No call was made yet. */
  fresh: boolean;
  /** Ends the turn in this process. */
  leave: (() => void) | null;
  /** Frees the connection for others; null until the first call. */
  freeSlot: ReleaseSlot | null;
}

export interface MongoSession {
  /** Undefined outside a transaction. */
  readonly client: ClientSession | undefined;
  readonly requester: Requester | null;
}
type Work<T> = (session: MongoSession) => Promise<T>;

export interface Calls {
  readonly call: <T>(
    inside: DocumentTransaction | null,
    writes: boolean,
    work: Work<T>,
    requester?: Requester | null,
  ) => Promise<T>;
  readonly runAtomically: <T>(
    inside: DocumentTransaction | null,
    work: Work<T>,
    requester?: Requester | null,
  ) => Promise<T>;
  /** A second caller waits for the end of the first transaction; without effect after its first call. */
  readonly lock: (inside: DocumentTransaction | null, key: string) => Promise<void>;
  /**
   * Waits for turns in this process and, with transactions, in all others. The returned function, or the end of the
   * transaction, ends them.
   */
  readonly acquireTurns: (inside: DocumentTransaction | null, keys: readonly string[]) => Promise<() => void>;
  readonly begin: (requester?: Requester | null) => DocumentTransaction;
  readonly commit: (transaction: DocumentTransaction) => Promise<void>;
  readonly rollback: (transaction: DocumentTransaction) => Promise<void>;
}

export function createCalls(connection: () => MongoConnection): Calls {
  const repeated = createConflictRetry(clock);
  let line: Limiter | null = null;
  /** Connections in turns of clients: the driver's pool serves calls in the order of arrival. */
  function getLine(): Limiter {
    const { pool, poolWait } = connection().settings;
    return (line ??= createLimiter(pool, Infinity, createFullFault, { clock, patience: poolWait }));
  }

  /** Waits for turns come first, so that they hold no connection. */
  async function acquireSlot(open: OpenTransaction): Promise<void> {
    open.freeSlot ??= await getLine().acquire(open.requester);
  }

  async function call<T>(
    inside: DocumentTransaction | null,
    writes: boolean,
    work: (session: MongoSession) => Promise<T>,
    requester: Requester | null = null,
  ): Promise<T> {
    if (inside !== null) {
      const open = toOpenTransaction(inside);
      if (open.failed || open.ended)
        throw createFault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
      open.fresh = false;
      try {
        await acquireSlot(open);
        return await withTimeout(work({ client: open.session, requester: open.requester }), open.requester, false);
      } catch (error) {
        open.failed = true;
        throw toMongoFault(error);
      }
    }
    const freeSlot = await getLine().acquire(requester);
    const sent = trackReach();
    try {
      const done = (async () => work({ client: undefined, requester }))();
      // A call without a waiter still has its connection.
      const leaveLine = (): void => freeSlot();
      done.then(leaveLine, leaveLine);
      return await withTimeout(done, requester, writes);
    } catch (error) {
      throw toMongoFault(error, writes && sent(error));
    }
  }

  /**
   * The returned function decides whether a write may have been sent. A lost connection shows as a change of the
   * server.
   */
  function trackReach(): (error: unknown) => boolean {
    const before = connection().reach();
    return (error) => {
      const { isAvailable: there, times } = connection().reach();
      const steady = before.isAvailable === there && before.times === times;
      return !steady || !(isSelection(error) ? !there : isUnsent(error));
    };
  }

  /** Runs several commands atomically where supported, and repeats them on conflicts. */
  async function runAtomically<T>(
    inside: DocumentTransaction | null,
    work: (session: MongoSession) => Promise<T>,
    requester: Requester | null = null,
  ): Promise<T> {
    if (inside !== null || connection().standalone) return call(inside, true, work, requester);
    const runTransaction = async (): Promise<T> => {
      const own = begin(requester);
      try {
        const result = await call(own, true, work);
        await commit(own);
        return result;
      } catch (error) {
        await rollback(own);
        throw error;
      }
    };
    return repeated(runTransaction, isMongoRetryable, requester);
  }

  const turns = createTurnQueue();
  const lockTurns = createTurnLock();

  /** In memory; other processes conflict on a server document. */
  async function lock(inside: DocumentTransaction | null, key: string): Promise<void> {
    if (inside === null) return;
    const open = toOpenTransaction(inside);
    if (!open.fresh || open.ended) return;
    open.fresh = false;
    const deadline = calculateTimeLeft(open.requester, connection().settings.deadline);
    const end = Date.now() + deadline;
    open.leave = await turns.acquire(key, deadline);
    try {
      await acquireSlot(open);
      await lockTurns(connection(), open.session, [key], end);
    } catch (error) {
      open.failed = true;
      throw toMongoFault(error);
    }
  }

  async function acquireTurns(inside: DocumentTransaction | null, keys: readonly string[]): Promise<() => void> {
    const deadline = calculateTimeLeft(inside && toOpenTransaction(inside).requester, connection().settings.deadline);
    const end = Date.now() + deadline;
    const taken: (() => void)[] = [];
    const releaseTurns = (): void => {
      for (const one of taken.splice(0)) one();
    };
    try {
      // The keys must have the same order everywhere, to prevent deadlocks.
      for (const key of keys) taken.push(await turns.acquire(key, deadline));
      if (inside === null) return releaseTurns;
      const open = toOpenTransaction(inside);
      open.fresh = false;
      open.leave = releaseTurns;
      await acquireSlot(open);
      await lockTurns(connection(), open.session, keys, end);
      return releaseTurns;
    } catch (error) {
      releaseTurns();
      throw toMongoFault(error);
    }
  }

  function begin(requester: Requester | null = null): DocumentTransaction {
    const { client, settings } = connection();
    const session = client.startSession();
    session.startTransaction(settings.transaction);
    return {
      transaction: {
        session,
        requester,
        leave: null,
        freeSlot: null,
        failed: false,
        ended: false,
        fresh: true,
      } satisfies OpenTransaction,
    };
  }

  async function commit(transaction: DocumentTransaction): Promise<void> {
    const open = toOpenTransaction(transaction);
    if (open.failed) await rollback(transaction);
    if (open.failed || open.ended) throw createFault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    open.ended = true;
    const sent = trackReach();
    try {
      await withTimeout(open.session.commitTransaction(), open.requester, true, LAST_WAIT_MS);
    } catch (error) {
      throw toMongoFault(error, sent(error));
    } finally {
      open.leave?.();
      open.freeSlot?.();
      // Errors of the session do not affect a committed transaction.
      await open.session.endSession().catch(() => undefined);
    }
  }

  async function rollback(transaction: DocumentTransaction): Promise<void> {
    const open = toOpenTransaction(transaction);
    if (open.ended) return;
    open.ended = true;
    await withTimeout(open.session.abortTransaction(), open.requester, false, LAST_WAIT_MS).catch(() => undefined);
    open.leave?.();
    open.freeSlot?.();
    await open.session.endSession().catch(() => undefined);
  }

  return { call, runAtomically, lock, acquireTurns, begin, commit, rollback };
}

/** The end is awaited beyond the deadline of the request. */
const LAST_WAIT_MS = 1000;

const createFullFault = (seconds: number): Fault =>
  createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': String(seconds) } });

/** In milliseconds, at most `most`. */
export const calculateTimeLeft = (requester: Requester | null, most: number): number =>
  Math.max(1, Math.min(most, Math.ceil((requester?.invocation.deadline ?? Infinity) - performance.now())));

/** The server may still run the call until its own deadline. */
async function withTimeout<T>(work: Promise<T>, requester: Requester | null, writes: boolean, least = 0): Promise<T> {
  const left = (requester?.invocation.deadline ?? Infinity) - performance.now();
  if (left === Infinity) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const failure = createFault('QRY_TIMEOUT', {}, { headers: { 'retry-after': '1' } });
    timer = setTimeout(() => reject(writes ? toUnknownOutcome(failure) : failure), Math.max(left, least));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

const toOpenTransaction = ({ transaction }: DocumentTransaction): OpenTransaction => transaction as OpenTransaction;
