/**
 * The handle of an embedded database. It has one connection: an open transaction blocks all other statements. Values and rows are
 * converted as in `postgres`.
 */
import type { PGliteInterface, Results, Transaction as LiteTransaction } from '@electric-sql/pglite';
import type { Asker } from '../../../contract/asker.js';
import { fault } from '../../../contract/fault.js';
import { createLine, type Leave } from '../../../contract/line.js';
import { clock } from '../../../language/project/clock.js';
import type { Dialect, Row } from '../kind.js';
import { isRetryable, toFault } from '../shared/errors.js';
import { executor } from '../shared/execute.js';
import { prepareStatement } from '../shared/prepare.js';
import { bindValues } from '../shared/values.js';
import type { PgPrepared } from '../shared/values.js';
import { judgeWhole, UNBOUNDED, type ResultLimits } from '../../shared/results.js';

/** An abandoned transaction would block all statements, so it is rolled back. */
const FORGOTTEN_MS = 40_000;

/** Thrown to make the engine roll the transaction back. */
const ROLLED_BACK = new Error('rolled back');

interface OpenTransaction {
  readonly inner: LiteTransaction;
  readonly end: (commit: boolean) => Promise<void>;
  failed: boolean;
}

/** The engine supports transactions only as callbacks. */
function openTransaction(db: PGliteInterface, leave: Leave): Promise<OpenTransaction> {
  return new Promise((opened, refused) => {
    let finish: (commit: boolean) => void;
    const finished = new Promise<boolean>((resolve) => (finish = resolve));
    const whole = db.transaction(async (inner) => {
      const timer = setTimeout(() => finish(false), FORGOTTEN_MS);
      timer.unref();
      const end = (commit: boolean): Promise<void> => {
        clearTimeout(timer);
        finish(commit);
        return whole;
      };
      opened({ inner, end, failed: false });
      if (!(await finished)) throw ROLLED_BACK;
    });
    whole.then(leave, leave);
    whole.catch(refused);
  });
}

export function createDialect(engine: () => PGliteInterface, limits: ResultLimits = UNBOUNDED): Dialect {
  const live = new WeakSet<OpenTransaction>();
  const line = createLine(
    1,
    Infinity,
    (seconds) => fault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': String(seconds) } }),
    { clock },
  );

  async function end(transaction: unknown, commit: boolean): Promise<boolean> {
    const open = transaction as OpenTransaction;
    if (!live.delete(open)) return false;
    await open.end(commit);
    return true;
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: prepareStatement,

    async run(statement, values, transaction, _last, asker: Asker | null = null) {
      const prepared = statement as PgPrepared;
      const bound = bindValues(prepared, values);
      const open = transaction?.transaction as OpenTransaction | undefined;
      try {
        if (open && !live.has(open)) throw new Error('the transaction is over');
        const result: Results<Row> = open
          ? await open.inner.query<Row>(prepared.text, bound)
          : await line.run(() => engine().query<Row>(prepared.text, bound), asker);
        const refusal = judgeWhole(result.rows.length, 0, limits);
        if (refusal !== null) throw refusal;
        return result.rows;
      } catch (error) {
        if (open) open.failed = true;
        throw toFault(error);
      }
    },

    // One transaction at a time: everything read stays valid until its end.
    async begin(_need, asker) {
      const leave = await line.take(asker);
      try {
        const open = await openTransaction(engine(), leave);
        live.add(open);
        return { transaction: open };
      } catch (error) {
        leave();
        throw toFault(error);
      }
    },

    isolation: () => 'serializable: one transaction at a time',

    async commit({ transaction }) {
      const { failed } = transaction as OpenTransaction;
      let ended = false;
      try {
        ended = await end(transaction, !failed);
      } catch (error) {
        if (error !== ROLLED_BACK) throw toFault(error);
      }
      if (!ended) throw fault('QRY_FAILED', {}, { cause: new Error('commit of a transaction that is over or failed') });
    },

    async rollback({ transaction }) {
      await end(transaction, false).catch(() => false);
    },

    retryable: isRetryable,
  };
  const execute = executor(dialect);
  return dialect;
}
