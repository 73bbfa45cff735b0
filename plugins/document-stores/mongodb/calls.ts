/**
 * How calls run: alone, in the transaction that they are given, or in one of their own where several commands belong together. What
 * the driver throws becomes a Fault here, with what is known of the outcome.
 */
import type { ClientSession } from 'mongodb';
import { fault } from '../../../kernel/contract/fault.js';
import { createRepeats } from '../../../kernel/contract/repeats.js';
import { clock } from '../../../kernel/platform/clock.js';
import type { DocumentTransaction } from '../../kinds/document-store.js';
import type { Connection } from './connection.js';
import { isRetryable, isSelection, isUnsent, toFault } from './errors.js';
import { createTurns, hold } from './turns.js';

interface Open {
  readonly session: ClientSession;
  /** A call failed: nothing of the transaction can be kept. */
  failed: boolean;
  ended: boolean;
  /** Nothing was asked in it yet. */
  fresh: boolean;
  /** Lets the next one go on. */
  leave: (() => void) | null;
}

export type Session = ClientSession | undefined;
type Work<T> = (session: Session) => Promise<T>;

export interface Calls {
  readonly call: <T>(inside: DocumentTransaction | null, writes: boolean, work: Work<T>) => Promise<T>;
  readonly together: <T>(inside: DocumentTransaction | null, work: Work<T>) => Promise<T>;
  /** Who comes second waits until the first one's transaction is over; only a transaction in which nothing was done yet waits. */
  readonly lock: (inside: DocumentTransaction | null, key: string) => Promise<void>;
  /**
   * Waits until nobody else has one of these turns, in this process and, where there are transactions, in any other. Null: without a
   * transaction; the answer ends the turns, which the end of a transaction does as well.
   */
  readonly turn: (inside: DocumentTransaction | null, keys: readonly string[]) => Promise<() => void>;
  readonly begin: () => DocumentTransaction;
  readonly commit: (transaction: DocumentTransaction) => Promise<void>;
  readonly rollback: (transaction: DocumentTransaction) => Promise<void>;
}

export function createCalls(connection: () => Connection): Calls {
  const repeated = createRepeats(clock);

  /** One call: in the transaction that it is given, or by itself. */
  async function call<T>(
    inside: DocumentTransaction | null,
    writes: boolean,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    if (inside !== null) {
      const open = openOf(inside);
      if (open.failed || open.ended) throw fault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
      open.fresh = false;
      try {
        return await work(open.session);
      } catch (error) {
        open.failed = true;
        throw toFault(error);
      }
    }
    const sent = watched();
    try {
      return await work(undefined);
    } catch (error) {
      throw toFault(error, writes && sent(error));
    }
  }

  /**
   * Whether something was perhaps sent. What the driver throws is about its last try: a try before it may have lost its connection,
   * and then the server was not the same all the time.
   */
  function watched(): (error: unknown) => boolean {
    const before = connection().reach();
    return (error) => {
      const { there, times } = connection().reach();
      const steady = before.there === there && before.times === times;
      return !steady || !(isSelection(error) ? !there : isUnsent(error));
    };
  }

  /** Several commands as one, as far as the servers can. Conflicts are settled here: the caller has no transaction to repeat. */
  async function together<T>(inside: DocumentTransaction | null, work: (session: Session) => Promise<T>): Promise<T> {
    if (inside !== null || connection().alone) return call(inside, true, work);
    return repeated(async () => {
      const own = begin();
      try {
        const result = await call(own, true, work);
        await commit(own);
        return result;
      } catch (error) {
        await rollback(own);
        throw error;
      }
    }, isRetryable);
  }

  const turns = createTurns();

  /** Neighbours of this process stand in a queue; those of others are met at a document of the server that one of them holds. */
  async function lock(inside: DocumentTransaction | null, key: string): Promise<void> {
    if (inside === null) return;
    const open = openOf(inside);
    if (!open.fresh || open.ended) return;
    open.fresh = false;
    const { deadline } = connection().settings;
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
    const { deadline } = connection().settings;
    const end = Date.now() + deadline;
    const taken: (() => void)[] = [];
    const leave = (): void => {
      for (const one of taken.splice(0)) one();
    };
    try {
      // In one order everywhere: no two wait for each other.
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

  function begin(): DocumentTransaction {
    const { client, settings } = connection();
    const session = client.startSession();
    session.startTransaction(settings.transaction);
    return { transaction: { session, failed: false, ended: false, fresh: true, leave: null } satisfies Open };
  }

  async function commit(transaction: DocumentTransaction): Promise<void> {
    const open = openOf(transaction);
    if (open.failed) await rollback(transaction);
    if (open.failed || open.ended) throw fault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    open.ended = true;
    const sent = watched();
    try {
      await open.session.commitTransaction();
    } catch (error) {
      throw toFault(error, sent(error));
    } finally {
      open.leave?.();
      // What is committed stays so, whatever becomes of the session.
      await open.session.endSession().catch(() => undefined);
    }
  }

  async function rollback(transaction: DocumentTransaction): Promise<void> {
    const open = openOf(transaction);
    if (open.ended) return;
    open.ended = true;
    await open.session.abortTransaction().catch(() => undefined);
    open.leave?.();
    await open.session.endSession().catch(() => undefined);
  }

  return { call, together, lock, turn, begin, commit, rollback };
}

const openOf = ({ transaction }: DocumentTransaction): Open => transaction as Open;
