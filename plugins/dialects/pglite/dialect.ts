/** The handle of an embedded database. It has one connection: an open transaction blocks all other statements. */
import type { Requester } from '../../../contract/requester.js';
import { createFault } from '../../../contract/fault.js';
import { createLimiter, type ReleaseSlot } from '../../../contract/limiter.js';
import { createTurnQueue } from '../../../language/project/turn-queue.js';
import { clock } from '../../../language/project/clock.js';
import type { RawJson } from '../../../contract/raw-json.js';
import type { Dialect, PreparedStatement, Rendering, Transaction } from '../kind.js';
import { isPostgresRetryable, toPostgresFault } from '../shared/errors.js';
import { createExecutor } from '../shared/execute.js';
import { toRawJson } from '../shared/json-objects.js';
import { JsonBuffer } from '../shared/json-rows.js';
import { preparePostgresStatement } from '../shared/prepare.js';
import { bindValues } from '../shared/values.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { WireText } from '../shared/wire-text.js';
import { BEGIN, COMMIT, ROLLBACK, type EngineStatements, type StatementResult } from './statements.js';

/** Milliseconds without a statement after which a transaction, which blocks all others, is rolled back. */
const FORGOTTEN_MS = 40_000;

interface OpenTransaction {
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
/** Locks of the session outlive a rollback, and all requests share the session. */
const RELEASE = { name: 'lintel_release', text: 'SELECT pg_advisory_unlock_all()' };

export function createPgliteDialect(engine: () => EmbeddedEngine): Dialect {
  const line = createLimiter(
    1,
    Infinity,
    (seconds) => createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );

  const runInTurn = createTurnQueue();

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

  async function endTransaction(
    open: OpenTransaction,
    command: typeof COMMIT,
    after: typeof RELEASE | null = null,
  ): Promise<void> {
    if (open.over) return;
    open.over = true;
    clearTimeout(open.timer);
    try {
      if (open.begun && !open.committed) await engine().statements.runInside(command, NO_VALUES, null, {});
      if (after !== null) await engine().statements.runInside(after, NO_VALUES, null, { alone: true });
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
    text: WireText | null,
  ): Promise<StatementResult> {
    const isOver = open.over || open.committed || (open.failed && !open.begun);
    if (isOver) throw new Error('the transaction is over');
    open.timer.refresh();
    const { begun } = open;
    const alone = last && !begun;
    open.begun ||= !alone;
    const sending = alone ? { alone, text } : { before: begun ? null : BEGIN, after: last ? COMMIT : null, text };
    try {
      const result = await engine().statements.runInside(prepared, bound, requester, sending);
      // After a failure only a return to a savepoint succeeds.
      open.failed = false;
      open.committed = last;
      return result;
    } catch (error) {
      open.failed = true;
      throw error;
    }
  }

  async function runStatement(
    statement: PreparedStatement,
    values: readonly unknown[],
    transaction: Transaction | null,
    last: boolean,
    requester: Requester | null,
    text: WireText | null,
  ): Promise<StatementResult> {
    const prepared = statement as PostgresPreparedStatement;
    const bound = bindValues(prepared, values);
    const open = transaction?.transaction as OpenTransaction | undefined;
    try {
      if (open !== undefined) return await runIn(open, prepared, bound, last, requester, text);
      await new Promise<void>(runInTurn);
      return await line.run(() => engine().statements.run(prepared, bound, requester, text), requester);
    } catch (error) {
      throw toPostgresFault(error, 'none', prepared.text);
    }
  }

  const page = new JsonBuffer();
  async function render(
    statement: PreparedStatement,
    values: readonly unknown[],
    rendering: Rendering,
    transaction: Transaction | null,
    last: boolean,
    requester: Requester | null,
  ): Promise<RawJson> {
    const text = new WireText(rendering, page);
    const { json } = await runStatement(statement, values, transaction, last, requester, text);
    return toRawJson(json ?? text.close());
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: preparePostgresStatement,

    run: async (statement, values, transaction, last = false, requester = null) =>
      (await runStatement(statement, values, transaction, last, requester, null)).rows,

    render: (statement, values, rendering, requester = null) =>
      render(statement, values, rendering, null, false, requester),
    renderInside: (statement, values, rendering, transaction, last, requester) =>
      render(statement, values, rendering, transaction, last, requester),

    // One at a time: everything read stays valid.
    async begin(_need, requester) {
      await new Promise<void>(runInTurn);
      let leave: ReleaseSlot | null = null;
      try {
        leave = await line.acquire(requester);
        return { transaction: openTransaction(await engine().statements.hold(), leave) };
      } catch (error) {
        leave?.();
        throw leave === null ? error : toPostgresFault(error);
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

    async closeSession({ transaction }) {
      await endTransaction(transaction as OpenTransaction, ROLLBACK, RELEASE).catch(() => undefined);
    },

    retryable: isPostgresRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}
