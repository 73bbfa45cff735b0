/**
 * The handle of a PostgreSQL connection: chooses a connection for each statement and converts errors to Faults. Resends a
 * statement only if it cannot have run or only reads.
 */
import type { Asker } from '../../../contract/asker.js';
import { fault } from '../../../contract/fault.js';
import { Rendered } from '../../../contract/rendered.js';
import { SERIALIZABLE, type Dialect, type Isolation, type Transaction } from '../kind.js';
import { isLost, isRetryable, isStale, sqlState, toFault } from '../shared/errors.js';
import { executor } from '../shared/execute.js';
import { prepareStatement } from '../shared/prepare.js';
import { bindValues } from '../shared/values.js';
import type { PgPrepared } from '../shared/values.js';
import { createSlowStatements } from './slow.js';
import { send } from './statement.js';
import { ALONE, forget } from './wire.js';
import type { PostgresOptions } from './options.js';
import type { Command, Outcome, Sending, Wire } from './wire.js';
import type { Release, Wires } from './wires.js';

const NO_VALUES: readonly string[] = [];
const NO_TEXT = Buffer.from('null');
const parseText = (json: Uint8Array): unknown => JSON.parse(Buffer.from(json).toString('utf8')) as unknown;
const COMMIT: Command = { name: 'lintel_commit', text: 'COMMIT' };
const ROLLBACK: Command = { name: 'lintel_rollback', text: 'ROLLBACK' };
/** A single read that serializable transactions must detect. */
const WATCHED: Sending = {
  ...ALONE,
  before: { name: 'lintel_begin_watched', text: 'BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY' },
  after: COMMIT,
};
/** Attempts of a read that conflicts with a serializable transaction. */
const WATCHED_TRIES = 20;
/** The outcome of a COMMIT is awaited beyond the deadline of the request. */
const LAST_WAIT_MS = 1000;
const WITH_COMMIT: Sending = { ...ALONE, after: COMMIT };

/** What is sent before a first statement, and around an only one. */
interface Opening {
  readonly first: Sending;
  readonly only: Sending;
}

function opening(level: string): Opening {
  const name = `lintel_begin_${level.replaceAll(' ', '_')}`;
  const before: Command = { name, text: `BEGIN ISOLATION LEVEL ${level.toUpperCase()}` };
  return { first: { ...ALONE, before }, only: { ...ALONE, before, after: COMMIT } };
}

interface OpenTransaction {
  readonly wire: Wire;
  readonly release: Release;
  readonly opening: Opening;
  readonly asker: Asker | null;
  /** Until when results are waited for. */
  readonly until: number;
  /** BEGIN was sent, together with the first statement. */
  begun: boolean;
  lost: boolean;
  /** COMMIT was sent with the last statement, and both succeeded. */
  committed: boolean;
  over: boolean;
}

const endOf = (asker: Asker | null): number => asker?.invocation.deadline ?? Infinity;

type Done = (outcome: Outcome) => void;
type Failed = (error: unknown) => void;

export function createDialect(wires: () => Wires, isolation: PostgresOptions['isolation']): Dialect {
  const openings = new Map<string, Opening>();
  const watches = (): boolean => isolation(SERIALIZABLE) === 'serializable';
  const slow = createSlowStatements();

  function openingFor(need: Isolation): Opening {
    const level = isolation(need);
    const known = openings.get(level) ?? opening(level);
    openings.set(level, known);
    return known;
  }

  /** Reads and inserts are not expected to wait for others. */
  const shareable = (prepared: PgPrepared): boolean =>
    (prepared.readOnly || prepared.insert) && !slow.has(prepared.name);

  /** After a change of tables, every connection holds an outdated statement. */
  function forgetEverywhere(name: string): void {
    for (const wire of wires().all) forget(wire, name);
  }

  function failure(prepared: PgPrepared, { error, sent }: Outcome): unknown {
    return toFault(error, sent && !prepared.readOnly ? 'unknown' : 'none');
  }

  /**
   * The server did not receive the statement, rejected it before running it, or ended the session during a read. Never a write
   * that was sent.
   */
  function isRepeatable(prepared: PgPrepared, { error, sent }: Outcome): boolean {
    if (prepared.among && isRetryable(error)) return true;
    return isStale(error) || (isLost(error) && !sent) || (prepared.readOnly && sqlState(error).startsWith('57P0'));
  }

  function runLeased(
    prepared: PgPrepared,
    values: readonly (string | null)[],
    sending: Sending,
    asker: Asker | null,
    tries: number,
    done: Done,
    failed: Failed,
  ): void {
    wires().lease(asker, (error, wire, release) => {
      if (!wire) {
        failed(toFault(error));
        return;
      }
      send(wire, prepared, values, sending, endOf(asker), asker, (outcome) => {
        if (outcome.error === undefined) {
          release(false);
          if (prepared.readOnly || prepared.insert) slow.note(prepared.name, outcome.took);
          done(outcome);
          return;
        }
        if (isStale(outcome.error)) forgetEverywhere(prepared.name);
        const again = (): void => {
          if (tries > 0 && isRepeatable(prepared, outcome))
            runLeased(prepared, values, sending, asker, tries - 1, done, failed);
          else failed(failure(prepared, outcome));
        };
        if (sending.before === null || isLost(outcome.error)) {
          release(isLost(outcome.error));
          again();
          return;
        }
        send(wire, ROLLBACK, NO_VALUES, ALONE, Infinity, null, ({ error: broken }) => {
          release(broken !== undefined);
          again();
        });
      });
    });
  }

  function runShared(
    wire: Wire,
    prepared: PgPrepared,
    values: readonly (string | null)[],
    sending: Sending,
    asker: Asker | null,
    done: Done,
    failed: Failed,
  ): void {
    send(wire, prepared, values, sending, endOf(asker), asker, (outcome) => {
      slow.note(prepared.name, outcome.took);
      if (outcome.error === undefined) {
        done(outcome);
        return;
      }
      if (isStale(outcome.error)) forgetEverywhere(prepared.name);
      if (isRepeatable(prepared, outcome)) runLeased(prepared, values, sending, asker, 1, done, failed);
      else failed(failure(prepared, outcome));
    });
  }

  /** On a shared connection if possible. */
  function runFree(
    prepared: PgPrepared,
    values: readonly unknown[],
    sending: Sending,
    asker: Asker | null,
    done: Done,
    failed: Failed,
  ): void {
    const bound = bindValues(prepared, values);
    if (prepared.among && watches()) {
      const watched = { ...sending, ...WATCHED, rendering: sending.rendering };
      runLeased(prepared, bound, watched, asker, WATCHED_TRIES, done, failed);
      return;
    }
    const use = prepared.readOnly ? 'read' : 'insert';
    const wire = shareable(prepared) ? wires().shared(use) : undefined;
    let alone = prepared.atOnce;
    if (wire && !slow.isQuick(prepared.name)) {
      // Many executions of a slow statement on one connection would wait for one another.
      const turn = slow.enter(prepared.name, () => {
        try {
          runFree(prepared, values, sending, asker, done, failed);
        } catch (error) {
          failed(error);
        }
      });
      if (turn === 'wait') return;
      alone ||= turn === 'late';
    }
    if (wire && !(alone && wire.inFlight > 0)) runShared(wire, prepared, bound, sending, asker, done, failed);
    else runLeased(prepared, bound, sending, asker, 1, done, failed);
  }

  function runInside(
    transaction: OpenTransaction,
    prepared: PgPrepared,
    values: readonly (string | null)[],
    last: boolean,
    done: Done,
    failed: Failed,
  ): void {
    if (transaction.over) throw fault('QRY_FAILED', {}, { cause: new Error('the transaction is over') });
    const around = aroundOf(transaction, last);
    transaction.begun = true;
    send(transaction.wire, prepared, values, around, transaction.until, transaction.asker, (outcome) => {
      if (outcome.error === undefined) {
        if (last) {
          transaction.committed = transaction.over = true;
          transaction.release(false);
        }
        done(outcome);
        return;
      }
      if (isStale(outcome.error)) forgetEverywhere(prepared.name);
      transaction.lost ||= isLost(outcome.error);
      // An unfinished transaction is rolled back, so its outcome is known unless COMMIT was sent.
      failed(toFault(outcome.error, last && outcome.sent ? 'unknown' : 'none'));
    });
  }

  function aroundOf({ begun, opening: { first, only } }: OpenTransaction, last: boolean): Sending {
    if (begun) return last ? WITH_COMMIT : ALONE;
    return last ? only : first;
  }

  function finish(transaction: OpenTransaction, command: Command): Promise<Outcome | null> {
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
      send(wire, command, NO_VALUES, ALONE, end, null, (outcome) => {
        // Closing the connection ends the transaction.
        release(outcome.error !== undefined);
        resolve(outcome);
      });
    });
  }

  const dialect: Dialect = {
    execute: (text, values, transaction) => execute(text, values, transaction),
    prepare: prepareStatement,

    run(statement, values, transaction, last = false, asker = null) {
      const prepared = statement as PgPrepared;
      return new Promise((done, failed) => {
        const answered = ({ answer }: Outcome): void => done(answer);
        if (!transaction) runFree(prepared, values, ALONE, asker, answered, failed);
        else {
          const open = transaction.transaction as OpenTransaction;
          runInside(open, prepared, bindValues(prepared, values), last, answered, failed);
        }
      });
    },

    render(statement, values, rendering, asker = null) {
      return new Promise((done, failed) => {
        const answered = ({ json }: Outcome): void => done(new Rendered(json ?? NO_TEXT, parseText));
        runFree(statement as PgPrepared, values, { ...ALONE, rendering }, asker, answered, failed);
      });
    },

    begin(need, asker = null) {
      return new Promise<Transaction>((done, failed) => {
        wires().lease(asker, (error, wire, release) => {
          if (!wire) failed(toFault(error));
          else
            done({
              transaction: {
                wire,
                release,
                opening: openingFor(need),
                asker,
                until: endOf(asker),
                begun: false,
                lost: false,
                committed: false,
                over: false,
              } satisfies OpenTransaction,
            });
        });
      });
    },

    isolation,

    async commit({ transaction }) {
      const open = transaction as OpenTransaction;
      if (open.committed) {
        open.committed = false;
        return;
      }
      const { over, lost } = open;
      if (over || lost) {
        await finish(open, ROLLBACK);
        throw fault('QRY_FAILED', {}, { cause: new Error('commit of a transaction that is over or lost') });
      }
      const outcome = await finish(open, COMMIT);
      if (outcome?.error !== undefined) throw toFault(outcome.error, 'unknown');
      // The server answers COMMIT with ROLLBACK after a failed statement.
      if (outcome?.tag === 'ROLLBACK') {
        throw fault('QRY_FAILED', {}, { cause: new Error('commit of a transaction in which a statement failed') });
      }
    },

    async rollback({ transaction }) {
      await finish(transaction as OpenTransaction, ROLLBACK);
    },

    retryable: isRetryable,
  };
  const execute = executor(dialect);
  return dialect;
}
