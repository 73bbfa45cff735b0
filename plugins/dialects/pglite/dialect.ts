/** The handle of an embedded database. It has one connection: an open transaction blocks all other statements. */
import type { Requester } from '../../../contract/requester.js';
import { createFault } from '../../../contract/fault.js';
import { createLimiter, type ReleaseSlot } from '../../../contract/limiter.js';
import { clock } from '../../../language/project/clock.js';
import type { Dialect, Row } from '../kind.js';
import { isPostgresRetryable, toPostgresFault } from '../shared/errors.js';
import { createExecutor } from '../shared/execute.js';
import { preparePostgresStatement } from '../shared/prepare.js';
import { bindValues } from '../shared/values.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { BEGIN, COMMIT, ROLLBACK, type EngineStatements } from './statements.js';

/** Milliseconds without a statement after which a transaction, which blocks all others, is rolled back. */
const FORGOTTEN_MS = 40_000;

interface OpenTransaction {
  /** The next transaction starts. */
  readonly release: () => void;
  readonly timer: NodeJS.Timeout;
  begun: boolean;
  /** COMMIT was sent with the last statement, or the only one ran by itself. */
  committed: boolean;
  failed: boolean;
  over: boolean;
}

export interface EmbeddedEngine {
  readonly statements: EngineStatements;
}

const NO_VALUES: readonly string[] = [];

export function createPgliteDialect(engine: () => EmbeddedEngine): Dialect {
  const line = createLimiter(
    1,
    Infinity,
    (seconds) => createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );

  function openTransaction(releaseEngine: () => void, leave: ReleaseSlot): OpenTransaction {
    const open: OpenTransaction = {
      release() {
        releaseEngine();
        leave();
      },
      timer: setTimeout(() => void endTransaction(open, ROLLBACK).catch(() => undefined), FORGOTTEN_MS),
      begun: false,
      committed: false,
      failed: false,
      over: false,
    };
    open.timer.unref();
    return open;
  }

  async function endTransaction(open: OpenTransaction, command: typeof COMMIT): Promise<void> {
    if (open.over) return;
    open.over = true;
    clearTimeout(open.timer);
    try {
      if (open.begun && !open.committed) await engine().statements.runInside(command, NO_VALUES, null, {});
    } finally {
      open.release();
    }
  }

  /** BEGIN is sent with the first statement and COMMIT with the last; an only one needs neither. */
  async function runIn(
    open: OpenTransaction,
    prepared: PostgresPreparedStatement,
    bound: (string | null)[],
    last: boolean,
    requester: Requester | null,
  ): Promise<Row[]> {
    const isOver = open.over || open.committed || (open.failed && !open.begun);
    if (isOver) throw new Error('the transaction is over');
    open.timer.refresh();
    const { begun } = open;
    const alone = last && !begun;
    open.begun ||= !alone;
    const sending = alone ? { alone } : { before: begun ? null : BEGIN, after: last ? COMMIT : null };
    try {
      const rows = await engine().statements.runInside(prepared, bound, requester, sending);
      // After a failure only a return to a savepoint succeeds.
      open.failed = false;
      open.committed = last;
      return rows;
    } catch (error) {
      open.failed = true;
      throw error;
    }
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: preparePostgresStatement,

    async run(statement, values, transaction, last = false, requester: Requester | null = null) {
      const prepared = statement as PostgresPreparedStatement;
      const bound = bindValues(prepared, values);
      const open = transaction?.transaction as OpenTransaction | undefined;
      try {
        return open
          ? await runIn(open, prepared, bound, last, requester)
          : await line.run(() => engine().statements.run(prepared, bound, requester), requester);
      } catch (error) {
        throw toPostgresFault(error, 'none', prepared.text);
      }
    },

    // One at a time: everything read stays valid.
    async begin(_need, requester) {
      const leave = await line.acquire(requester);
      try {
        return { transaction: openTransaction(await engine().statements.hold(), leave) };
      } catch (error) {
        leave();
        throw toPostgresFault(error);
      }
    },

    isolation: () => 'serializable: one transaction at a time',

    async commit({ transaction }) {
      const open = transaction as OpenTransaction;
      const { over, failed } = open;
      try {
        await endTransaction(open, failed ? ROLLBACK : COMMIT);
      } catch (error) {
        throw toPostgresFault(error);
      }
      if (over || failed)
        throw createFault('QRY_FAILED', {}, { cause: new Error('commit of a transaction that is over or failed') });
    },

    async rollback({ transaction }) {
      await endTransaction(transaction as OpenTransaction, ROLLBACK).catch(() => undefined);
    },

    retryable: isPostgresRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}
