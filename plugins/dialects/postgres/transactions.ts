/**
 * Transactions on leased connections: BEGIN travels with the first statement, and COMMIT with the last one that is known. If they
 * travel alone, the balance chain takes 1.4 and 1.2 times the processor time.
 */
import type { Requester } from '../../../contract/requester.js';
import { createFault } from '../../../contract/fault.js';
import type { BoundStatement, Dialect, Isolation, Rendering, Row, Transaction } from '../kind.js';
import { isPostgresConnectionLost, isStale, getSqlState, toPostgresFault } from '../shared/errors.js';
import { bindValues, type PostgresPreparedStatement } from '../shared/values.js';
import { ALONE, COMMIT } from './connection.js';
import type { ErrorCallback, OutcomeCallback, PgCommand, PgConnection } from './connection.js';
import type { StatementOutcome, StatementSendOptions } from './connection.js';
import type { Release, PgConnections } from './connections.js';
import type { PostgresOptions } from './options.js';
import { sendStatement } from './statement.js';

export const NO_VALUES: readonly string[] = [];
export const ROLLBACK: PgCommand = { name: 'lintel_rollback', text: 'ROLLBACK' };
const SESSION_LEVEL = 'read committed';
/** A COMMIT is awaited beyond the deadline of the request. */
const LAST_WAIT_MS = 1000;
const WITH_COMMIT: StatementSendOptions = { ...ALONE, after: COMMIT };

/** What is sent before a first statement, and around an only one. */
interface Opening {
  readonly level: string;
  readonly first: StatementSendOptions;
  readonly only: StatementSendOptions;
}

function createOpening(level: string): Opening {
  const name = `lintel_begin_${level.replaceAll(' ', '_')}`;
  const before: readonly PgCommand[] = [{ name, text: `BEGIN ISOLATION LEVEL ${level.toUpperCase()}` }];
  const first = { ...ALONE, before };
  return { level, first, only: { ...first, after: COMMIT } };
}

interface OpenTransaction {
  readonly wire: PgConnection;
  readonly release: Release;
  readonly opening: Opening;
  readonly requester: Requester | null;
  /** Until when results are waited for. */
  readonly until: number;
  /** BEGIN was sent, together with the first statement. */
  begun: boolean;
  lost: boolean;
  /** COMMIT was sent with the last statement, and both succeeded. */
  committed: boolean;
  over: boolean;
}

const tryBind = (prepared: PostgresPreparedStatement, values: readonly unknown[]): (string | null)[] | null => {
  try {
    return bindValues(prepared, values);
  } catch {
    return null;
  }
};

export const getDeadline = (requester: Requester | null): number => requester?.invocation.deadline ?? Infinity;

type TransactionMethods = Pick<Dialect, 'begin' | 'commit' | 'rollback'> &
  Required<Pick<Dialect, 'runWhole' | 'closeSession'>>;

export interface PgTransactions {
  readonly methods: TransactionMethods;
  run(
    transaction: Transaction,
    prepared: PostgresPreparedStatement,
    values: readonly unknown[],
    last: boolean,
    rendering: Rendering | null,
    done: OutcomeCallback,
    failed: ErrorCallback,
  ): void;
}

/** `invalidate`: every connection parses the statement again. */
export function createPgTransactions(
  wires: () => PgConnections,
  isolation: PostgresOptions['isolation'],
  invalidate: (name: string) => void,
): PgTransactions {
  const openings = new Map<string, Opening>();

  function selectOpening(need: Isolation): Opening {
    const level = isolation(need);
    const known = openings.get(level) ?? createOpening(level);
    openings.set(level, known);
    return known;
  }

  function selectSending({ begun, opening: { first, only } }: OpenTransaction, last: boolean): StatementSendOptions {
    if (begun) return last ? WITH_COMMIT : ALONE;
    return last ? only : first;
  }

  function send(
    transaction: OpenTransaction,
    prepared: PostgresPreparedStatement,
    values: readonly (string | null)[],
    sending: StatementSendOptions,
    done: OutcomeCallback,
    failed: ErrorCallback,
  ): void {
    const last = sending.after !== null;
    transaction.begun = true;
    sendStatement(transaction.wire, prepared, values, sending, transaction.until, transaction.requester, (outcome) => {
      const { error, sent } = outcome;
      if (error === undefined) {
        if (last) finishCommitted(transaction);
        done(outcome);
        return;
      }
      if (isStale(error)) invalidate(prepared.name);
      transaction.lost ||= isPostgresConnectionLost(error);
      // Rolled back, so the outcome is known unless COMMIT was sent.
      failed(toPostgresFault(error, last && sent ? 'unknown' : 'none', prepared.text));
    });
  }

  /** A rollback that was sent meanwhile releases the connection. */
  function finishCommitted(transaction: OpenTransaction): void {
    if (transaction.over) return;
    transaction.committed = transaction.over = true;
    transaction.release(false);
  }

  function open({ transaction }: Transaction): OpenTransaction {
    const found = transaction as OpenTransaction;
    if (found.over) throw createFault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    return found;
  }

  function runWhole({ prepared, values }: BoundStatement, transaction: Transaction): Promise<readonly Row[] | null> {
    const opened = open(transaction);
    const bound = tryBind(prepared as PostgresPreparedStatement, values);
    // Triggers that use tables make all transactions serializable.
    if (bound === null || opened.begun || opened.opening.level !== SESSION_LEVEL) return Promise.resolve(null);
    opened.begun = true;
    return new Promise((done, failed) => {
      const settleWhole = ({ error, sent, answer }: StatementOutcome): void => {
        if (error === undefined && answer.length > 0) {
          finishCommitted(opened);
          done(answer);
          return;
        }
        opened.begun = false;
        if (error === undefined) {
          done(null);
          return;
        }
        if (isStale(error)) invalidate(prepared.name);
        opened.lost ||= isPostgresConnectionLost(error);
        const fault = toPostgresFault(error, sent ? 'unknown' : 'none');
        // Only an error of the server undoes it.
        const isUndone = !opened.lost && getSqlState(error) !== '';
        if (isUndone && fault.options.retryable !== true && fault.code !== 'QRY_TIMEOUT') done(null);
        else failed(fault);
      };
      sendStatement(opened.wire, prepared, bound, ALONE, opened.until, opened.requester, settleWhole);
    });
  }

  function endTransaction(
    transaction: OpenTransaction,
    command: PgCommand,
    isClosed = false,
  ): Promise<StatementOutcome | null> {
    return new Promise((resolve) => {
      const { wire, release, begun, lost, over, until } = transaction;
      transaction.over = true;
      if (over) {
        resolve(null);
        return;
      }
      if (!begun || lost) {
        release(lost);
        resolve(null);
        return;
      }
      const end = command === COMMIT ? Math.max(until, performance.now() + LAST_WAIT_MS) : Infinity;
      sendStatement(wire, command, NO_VALUES, ALONE, end, null, (outcome) => {
        // Closing the connection ends the transaction.
        release(outcome.error !== undefined || isClosed);
        resolve(outcome);
      });
    });
  }

  return {
    run(transaction, prepared, values, last, rendering, done, failed) {
      const opened = open(transaction);
      const sending = selectSending(opened, last);
      const rendered = rendering === null ? sending : { ...sending, rendering };
      send(opened, prepared, bindValues(prepared, values), rendered, done, failed);
    },

    methods: {
      runWhole,

      begin(need, requester = null) {
        return new Promise<Transaction>((done, failed) => {
          wires().acquire(requester, (error, wire, release) => {
            if (!wire) failed(toPostgresFault(error));
            else
              done({
                transaction: {
                  wire,
                  release,
                  opening: selectOpening(need),
                  requester,
                  until: getDeadline(requester),
                  begun: false,
                  lost: false,
                  committed: false,
                  over: false,
                } satisfies OpenTransaction,
              });
          });
        });
      },

      async commit({ transaction }) {
        const opened = transaction as OpenTransaction;
        if (opened.committed) {
          opened.committed = false;
          return;
        }
        const { over, lost } = opened;
        if (over || lost) {
          await endTransaction(opened, ROLLBACK);
          throw createFault('QRY_FAILED', {}, { cause: new Error('commit of a transaction that is over or lost') });
        }
        const outcome = await endTransaction(opened, COMMIT);
        if (outcome?.error !== undefined) throw toPostgresFault(outcome.error, 'unknown');
        // The server answers COMMIT with ROLLBACK after a failed statement.
        if (outcome?.tag === 'ROLLBACK') {
          throw createFault(
            'QRY_FAILED',
            {},
            { cause: new Error('commit of a transaction in which a statement failed') },
          );
        }
      },

      async rollback({ transaction }) {
        await endTransaction(transaction as OpenTransaction, ROLLBACK);
      },

      async closeSession({ transaction }) {
        await endTransaction(transaction as OpenTransaction, ROLLBACK, true);
      },
    },
  };
}
