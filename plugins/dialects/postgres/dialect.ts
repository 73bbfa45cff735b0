/**
 * The handle of a PostgreSQL connection: chooses a connection for each statement. Resends one only if it cannot have
 * run or only reads.
 */
import type { Requester } from '../../../contract/requester.js';
import { SERIALIZABLE, type Dialect } from '../kind.js';
import {
  LargeTextError,
  isPostgresConnectionLost,
  isPostgresRetryable,
  isStale,
  getSqlState,
  toPostgresFault,
} from '../shared/errors.js';
import { createExecutor } from '../shared/execute.js';
import { preparePostgresStatement } from '../shared/prepare.js';
import { bindValues } from '../shared/values.js';
import type { PostgresPreparedStatement } from '../shared/values.js';
import { createSlowStatements } from './slow-statements.js';
import { sendStatement } from './statement.js';
import { createPgTransactions, getDeadline, NO_VALUES, ROLLBACK } from './transactions.js';
import { renderText, toOutcomeText, type TextSender } from './streaming.js';
import { ALONE, COMMIT, invalidateStatements } from './connection.js';
import type { PostgresOptions } from './options.js';
import type { ErrorCallback, OutcomeCallback, PgConnection } from './connection.js';
import type { StatementOutcome, StatementSendOptions } from './connection.js';
import type { PgConnections } from './connections.js';

/** A single read that serializable transactions must detect. */
const WATCHED: StatementSendOptions = {
  ...ALONE,
  before: [{ name: 'lintel_begin_watched', text: 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY' }],
  after: COMMIT,
};
/** Attempts of a read that conflicts with a serializable transaction. */
const WATCHED_TRIES = 20;

/** `streams`: large results need not be held. */
export function createPostgresDialect(
  wires: () => PgConnections,
  isolation: PostgresOptions['isolation'],
  streams: boolean,
): Dialect {
  const isSerializable = (): boolean => isolation(SERIALIZABLE) === 'serializable';
  const slow = createSlowStatements();

  /** Reads and inserts are not expected to wait for others. */
  const isShareable = (prepared: PostgresPreparedStatement): boolean =>
    (prepared.readOnly || prepared.insert) && !slow.has(prepared.name);

  /** After a change of tables, every connection holds an outdated statement. */
  function invalidateEverywhere(name: string): void {
    for (const wire of wires().all) invalidateStatements(wire, name);
  }

  function toFailure(prepared: PostgresPreparedStatement, { error, sent }: StatementOutcome): unknown {
    if (error instanceof LargeTextError) return error;
    return toPostgresFault(error, sent && !prepared.readOnly ? 'unknown' : 'none', prepared.text);
  }

  /**
   * Whether a statement may be sent again: the server did not receive it, rejected it before running it, or ended the session
   * (shutdown, restart) during a read. Never a write that was sent.
   * `isDropped`: the connection was closed because of another statement.
   */
  function isRepeatable(prepared: PostgresPreparedStatement, outcome: StatementOutcome, isDropped = false): boolean {
    const { error, sent, streamed } = outcome;
    if (streamed) return false;
    if (prepared.among && isPostgresRetryable(error)) return true;
    return (
      isStale(error) ||
      (isPostgresConnectionLost(error) && (!sent || (isDropped && prepared.readOnly))) ||
      (prepared.readOnly && getSqlState(error).startsWith('57P0'))
    );
  }

  function runLeased(
    prepared: PostgresPreparedStatement,
    values: readonly (string | null)[],
    sending: StatementSendOptions,
    requester: Requester | null,
    tries: number,
    done: OutcomeCallback,
    failed: ErrorCallback,
  ): void {
    wires().acquire(requester, (error, wire, release) => {
      if (!wire) {
        failed(toPostgresFault(error));
        return;
      }
      sendStatement(wire, prepared, values, sending, getDeadline(requester), requester, (outcome) => {
        if (outcome.error === undefined) {
          release(false, !outcome.streamed);
          if (prepared.readOnly || prepared.insert) slow.recordDuration(prepared.name, outcome.took);
          done(outcome);
          return;
        }
        if (isStale(outcome.error)) invalidateEverywhere(prepared.name);
        const retryOrFail = (): void => {
          if (tries > 0 && isRepeatable(prepared, outcome))
            runLeased(prepared, values, sending, requester, tries - 1, done, failed);
          else failed(toFailure(prepared, outcome));
        };
        if (sending.before === null || isPostgresConnectionLost(outcome.error)) {
          release(isPostgresConnectionLost(outcome.error), !outcome.streamed);
          retryOrFail();
          return;
        }
        sendStatement(wire, ROLLBACK, NO_VALUES, ALONE, Infinity, null, ({ error: broken }) => {
          release(broken !== undefined, !outcome.streamed);
          retryOrFail();
        });
      });
    });
  }

  function runShared(
    wire: PgConnection,
    prepared: PostgresPreparedStatement,
    values: readonly (string | null)[],
    sending: StatementSendOptions,
    requester: Requester | null,
    done: OutcomeCallback,
    failed: ErrorCallback,
  ): void {
    sendStatement(wire, prepared, values, sending, getDeadline(requester), requester, (outcome) => {
      slow.recordDuration(prepared.name, outcome.took);
      if (outcome.error === undefined) {
        done(outcome);
        return;
      }
      if (isStale(outcome.error)) invalidateEverywhere(prepared.name);
      if (isRepeatable(prepared, outcome, wire.dropped))
        runLeased(prepared, values, sending, requester, 1, done, failed);
      else failed(toFailure(prepared, outcome));
    });
  }

  /** Many executions of a slow statement on one connection would wait for one another. */
  function takeTurn(...call: Parameters<typeof runFree>): 'first' | 'wait' | 'late' {
    const [{ name }, , , , , failed] = call;
    return slow.requestTurn(name, () => {
      try {
        runFree(...call);
      } catch (error) {
        failed(error);
      }
    });
  }

  /** On a shared connection if possible. */
  function runFree(
    prepared: PostgresPreparedStatement,
    values: readonly unknown[],
    sending: StatementSendOptions,
    requester: Requester | null,
    done: OutcomeCallback,
    failed: ErrorCallback,
  ): void {
    const bound = bindValues(prepared, values);
    if (prepared.among && isSerializable()) {
      const watched = { ...sending, ...WATCHED, rendering: sending.rendering };
      runLeased(prepared, bound, watched, requester, WATCHED_TRIES, done, failed);
      return;
    }
    const use = prepared.readOnly ? 'read' : 'insert';
    const wire = isShareable(prepared) ? wires().findShared(use) : undefined;
    let alone = prepared.atOnce;
    if (wire && !slow.isQuick(prepared.name)) {
      const turn = takeTurn(prepared, values, sending, requester, done, failed);
      if (turn === 'wait') return;
      alone ||= turn === 'late';
    }
    if (wire && !(alone && wire.inFlight > 0)) runShared(wire, prepared, bound, sending, requester, done, failed);
    else runLeased(prepared, bound, sending, requester, 1, done, failed);
  }

  const transactions = createPgTransactions(wires, isolation, invalidateEverywhere);

  const sender: TextSender = {
    streams,
    slow,
    send: runFree,
    sendAlone: (prepared, values, sending, requester, done, failed) =>
      runLeased(prepared, bindValues(prepared, values), sending, requester, 1, done, failed),
  };

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: preparePostgresStatement,

    run(statement, values, transaction, last = false, requester = null) {
      const prepared = statement as PostgresPreparedStatement;
      return new Promise((done, failed) => {
        const resolveRows = ({ answer }: StatementOutcome): void => done(answer);
        if (!transaction) runFree(prepared, values, ALONE, requester, resolveRows, failed);
        else transactions.run(transaction, prepared, values, last, null, resolveRows, failed);
      });
    },

    render(statement, values, rendering, requester = null) {
      return renderText(sender, statement as PostgresPreparedStatement, values, rendering, requester);
    },

    renderInside(statement, values, rendering, transaction, last) {
      const prepared = statement as PostgresPreparedStatement;
      return new Promise((done, failed) => {
        const resolveText = (outcome: StatementOutcome): void => done(toOutcomeText(outcome));
        transactions.run(transaction, prepared, values, last, rendering, resolveText, failed);
      });
    },

    isolation,

    ...transactions.methods,
    retryable: isPostgresRetryable,
  };
  const execute = createExecutor(dialect);
  return dialect;
}
