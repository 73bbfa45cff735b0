/** The handle of an embedded database. It has one connection: an open transaction blocks all other statements. */
import type { PGliteInterface, Results, Transaction as LiteTransaction } from '@electric-sql/pglite';
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
import type { ReadOptions } from './bounded-results.js';

/** Milliseconds without a statement after which a transaction, which blocks all others, is rolled back. */
const FORGOTTEN_MS = 40_000;

/** A rollback does not release these. */
const RELEASE = 'SELECT pg_advisory_unlock_all()';

/** Thrown to make the engine roll the transaction back. */
const ROLLED_BACK = new Error('rolled back');

interface OpenTransaction {
  readonly inner: LiteTransaction;
  readonly close: (commit: boolean) => Promise<void>;
  /** Measures the time without a statement from now. */
  readonly refresh: () => void;
  failed: boolean;
  /** Locks of the session are released at the end, because all requests share it. */
  releasesLocks: boolean;
}

/** The engine supports transactions only as callbacks. */
function openTransaction(db: PGliteInterface, leave: ReleaseSlot): Promise<OpenTransaction> {
  return new Promise((opened, refused) => {
    let finish: (commit: boolean) => void;
    let open: OpenTransaction | null = null;
    const finished = new Promise<boolean>((resolve) => (finish = resolve));
    const whole = db.transaction(async (inner) => {
      const timer = setTimeout(() => finish(false), FORGOTTEN_MS);
      timer.unref();
      const closeTransaction = (commit: boolean): Promise<void> => {
        clearTimeout(timer);
        finish(commit);
        return whole;
      };
      open = {
        ...{ inner, close: closeTransaction, refresh: () => void timer.refresh() },
        ...{ failed: false, releasesLocks: false },
      };
      opened(open);
      if (!(await finished)) throw ROLLED_BACK;
    });
    const leaveAtEnd = async (): Promise<void> => {
      if (open?.releasesLocks === true) await db.query(RELEASE).catch(() => undefined);
      leave();
    };
    whole.then(leaveAtEnd, leaveAtEnd);
    whole.catch(refused);
  });
}

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

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: preparePostgresStatement,

    async run(statement, values, transaction, _last, requester: Requester | null = null) {
      const prepared = statement as PostgresPreparedStatement;
      const bound = bindValues(prepared, values);
      const open = transaction?.transaction as OpenTransaction | undefined;
      try {
        if (open && !live.has(open)) throw new Error('the transaction is over');
        open?.refresh();
        const options: ReadOptions = { requester };
        const result: Results<Row> = open
          ? await open.inner.query<Row>(prepared.text, bound, options)
          : await line.run(() => engine().query<Row>(prepared.text, bound, options), requester);
        // After a failure only a return to a savepoint succeeds.
        if (open) open.failed = false;
        return result.rows;
      } catch (error) {
        if (open) open.failed = true;
        throw toPostgresFault(error, 'none', prepared.text);
      }
    },

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

    async closeSession({ transaction }) {
      (transaction as OpenTransaction).releasesLocks = true;
      await endTransaction(transaction, false).catch(() => false);
    },

    retryable: isPostgresRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}
