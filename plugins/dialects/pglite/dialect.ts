/** The handle of an embedded database. It has one connection: an open transaction blocks all other statements. */
import type { PGliteInterface, Results, Transaction as LiteTransaction } from '@electric-sql/pglite';
import type { RawJson } from '../../../contract/raw-json.js';
import type { Requester } from '../../../contract/requester.js';
import { createFault } from '../../../contract/fault.js';
import { createLimiter, type ReleaseSlot } from '../../../contract/limiter.js';
import { clock } from '../../../language/project/clock.js';
import type { Dialect, PreparedStatement, Rendering, Row, Transaction } from '../kind.js';
import { isPostgresRetryable, toPostgresFault } from '../shared/errors.js';
import { createExecutor } from '../shared/execute.js';
import { preparePostgresStatement } from '../shared/prepare.js';
import { toRawJson } from '../shared/json-objects.js';
import { JsonBuffer } from '../shared/json-rows.js';
import { bindValues } from '../shared/values.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { WireText } from '../shared/wire-text.js';
import type { ReadOptions } from './bounded-results.js';

/** Milliseconds without a statement after which a transaction, which blocks all others, is rolled back. */
const FORGOTTEN_MS = 40_000;

/** Thrown to make the engine roll the transaction back. */
const ROLLED_BACK = new Error('rolled back');

interface OpenTransaction {
  readonly inner: LiteTransaction;
  readonly close: (commit: boolean) => Promise<void>;
  /** Measures the time without a statement from now. */
  readonly refresh: () => void;
  failed: boolean;
}

/** The engine supports transactions only as callbacks. */
function openTransaction(db: PGliteInterface, leave: ReleaseSlot): Promise<OpenTransaction> {
  return new Promise((opened, refused) => {
    let finish: (commit: boolean) => void;
    const finished = new Promise<boolean>((resolve) => (finish = resolve));
    const whole = db.transaction(async (inner) => {
      const timer = setTimeout(() => finish(false), FORGOTTEN_MS);
      timer.unref();
      const closeTransaction = (commit: boolean): Promise<void> => {
        clearTimeout(timer);
        finish(commit);
        return whole;
      };
      opened({ inner, close: closeTransaction, refresh: () => void timer.refresh(), failed: false });
      if (!(await finished)) throw ROLLED_BACK;
    });
    const leaveAtEnd = (): void => leave();
    whole.then(leaveAtEnd, leaveAtEnd);
    whole.catch(refused);
  });
}

type RenderCall = [
  statement: PreparedStatement,
  values: readonly unknown[],
  transaction: Transaction | null,
  rendering: Rendering,
  requester: Requester | null,
];

export function createPgliteDialect(engine: () => PGliteInterface): Dialect {
  const live = new WeakSet<OpenTransaction>();
  const line = createLimiter(
    1,
    Infinity,
    (seconds) => createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );

  async function endTransaction(transaction: unknown, commit: boolean): Promise<boolean> {
    const open = transaction as OpenTransaction;
    if (!live.delete(open)) return false;
    await open.close(commit);
    return true;
  }

  /** `use` reads the result before the next statement runs. */
  async function runStatement<T>(
    statement: PreparedStatement,
    values: readonly unknown[],
    transaction: Transaction | null,
    options: ReadOptions,
    use: (result: Results<Row>) => T,
  ): Promise<T> {
    const prepared = statement as PostgresPreparedStatement;
    const bound = bindValues(prepared, values);
    const open = transaction?.transaction as OpenTransaction | undefined;
    try {
      if (open && !live.has(open)) throw new Error('the transaction is over');
      open?.refresh();
      const query = async (on: Pick<PGliteInterface, 'query'>): Promise<T> =>
        use(await on.query<Row>(prepared.text, bound, options));
      const used = open ? await query(open.inner) : await line.run(() => query(engine()), options.requester ?? null);
      // After a failure only a return to a savepoint succeeds.
      if (open) open.failed = false;
      return used;
    } catch (error) {
      if (open) open.failed = true;
      throw toPostgresFault(error, 'none', prepared.text);
    }
  }

  const page = new JsonBuffer();
  function render(...[statement, values, transaction, rendering, requester]: RenderCall): Promise<RawJson> {
    const text = new WireText(rendering, page);
    return runStatement(statement, values, transaction, { requester, text }, () => toRawJson(text.close()));
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: preparePostgresStatement,

    run: (statement, values, transaction, _last, requester = null) =>
      runStatement(statement, values, transaction, { requester }, ({ rows }) => rows),

    render: (statement, values, rendering, requester = null) => render(statement, values, null, rendering, requester),
    renderInside: (statement, values, rendering, transaction, _last, requester) =>
      render(statement, values, transaction, rendering, requester),

    // One at a time: everything read stays valid.
    async begin(_need, requester) {
      const leave = await line.acquire(requester);
      try {
        const open = await openTransaction(engine(), leave);
        live.add(open);
        return { transaction: open };
      } catch (error) {
        leave();
        throw toPostgresFault(error);
      }
    },

    isolation: () => 'serializable: one transaction at a time',

    async commit({ transaction }) {
      const { failed } = transaction as OpenTransaction;
      let ended = false;
      try {
        ended = await endTransaction(transaction, !failed);
      } catch (error) {
        if (error !== ROLLED_BACK) throw toPostgresFault(error);
      }
      if (!ended)
        throw createFault('QRY_FAILED', {}, { cause: new Error('commit of a transaction that is over or failed') });
    },

    async rollback({ transaction }) {
      await endTransaction(transaction, false).catch(() => false);
    },

    retryable: isPostgresRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}
