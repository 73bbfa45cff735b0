/** The state of a connection: its prepared statements, the statements in flight, and its load. */
import type { Fault } from '../../../contract/fault.js';
import type { Requester } from '../../../contract/requester.js';
import type { Rendering, Row } from '../kind.js';
import type { ResultText } from '../shared/result-text.js';
import { UNBOUNDED, type ResultLimits } from '../../shared/results.js';
import { JsonBuffer, type RowLayout } from '../shared/json-rows.js';
import type { RowClient, WireConnection } from './pg-internals.js';
import type { RowShape } from '../shared/wire-rows.js';

/** `shape`: null until the row description is received. */
export interface KnownStatement {
  shape: RowShape | null;
  /** The last layout; null when its rows must be built as objects. */
  layout?: { readonly rendering: Rendering; readonly layout: RowLayout | null };
}

/** A connection links its statements in the order in which they are sent. */
export interface StatementInFlight {
  next: StatementInFlight | null;
  /** Its response is complete. */
  readonly over: boolean;
  readonly requester: Requester | null;
  /** Its deadline if it is streamed beyond the one that its request began with; else Infinity. */
  getMissedDeadline(now: number): number;
  abort(reason: Fault): void;
  /** As `rejectOverdue` of the connection. */
  rejectIfOverdue(now: number, patience: number, silence: number): void;
}

export interface PgConnection {
  readonly client: RowClient;
  readonly statements: Map<string, KnownStatement>;
  /** Names to close on the server before they are parsed again. */
  readonly stale: Set<string>;
  readonly shared: boolean;
  readonly limits: ResultLimits;
  /** Buffer for results sent as JSON text. */
  readonly page: JsonBuffer;
  /** Sent data is buffered until the end of this event loop turn. */
  flushing: boolean;
  inFlight: number;
  head: StatementInFlight | null;
  tail: StatementInFlight | null;
  /** Time of the last progress, by `performance.now`. */
  since: number;
  /** Since when the receiver of a result keeps the connection waiting; Infinity if none does. */
  pausedAt: number;
  /** Closed because of a large result. Statements behind it, which read too, are repeated elsewhere. */
  dropped: boolean;
}

/** `shared`: statements of several callers in one event loop turn are sent in one packet. */
export const createPgConnection = (client: RowClient, shared: boolean, limits = UNBOUNDED): PgConnection => ({
  client,
  shared,
  limits,
  page: new JsonBuffer(),
  flushing: false,
  statements: new Map(),
  stale: new Set(),
  inFlight: 0,
  head: null,
  tail: null,
  since: 0,
  pausedAt: Infinity,
  dropped: false,
});

/** On shared connections, the writes of one turn are combined. */
export function beginPacket(wire: PgConnection, stream: WireConnection['stream']): void {
  if (wire.flushing) return;
  stream.cork();
  wire.flushing = wire.shared;
  if (!wire.shared) return;
  setImmediate(() => {
    wire.flushing = false;
    stream.uncork();
  });
}

/** The connection parses the statement again before its next use; without a name, all statements. */
export function invalidateStatements(wire: PgConnection, name?: string): void {
  for (const known of name === undefined ? [...wire.statements.keys()] : [name]) {
    if (wire.statements.delete(known)) wire.stale.add(known);
  }
}

/**
 * Rejects overdue statements, those that wait longer than `patience`, and those passed on of which nothing came for
 * `silence`. The server may still run them.
 */
export function rejectOverdue({ head }: PgConnection, now: number, patience: number, silence: number): void {
  for (let one = head; one !== null; one = one.next) one.rejectIfOverdue(now, patience, silence);
}

export interface PgCommand {
  readonly name: string;
  readonly text: string;
}

export const COMMIT: PgCommand = { name: 'lintel_commit', text: 'COMMIT' };

export interface StatementSendOptions {
  /** Sent in the same packet; a failure prevents the following commands from running. */
  readonly before: readonly PgCommand[] | null;
  readonly after: PgCommand | null;
  /** Converts the rows to JSON text. */
  readonly rendering: Rendering | null;
  /** A large text: null: it is held; `abort`: `LargeTextError`; or it is passed on as it arrives. */
  readonly large: ((text: ResultText) => void) | 'abort' | null;
}
export const ALONE: StatementSendOptions = { before: null, after: null, rendering: null, large: null };

export interface StatementOutcome {
  readonly error: unknown;
  /** Not named `rows`, because pg would treat it as a query that reads in portions. */
  readonly answer: readonly Row[];
  readonly json: Uint8Array | null;
  /** The text was passed on, so the statement cannot be repeated. */
  readonly streamed: boolean;
  /** The command tag, such as `COMMIT`. */
  readonly tag: string;
  /** False: never reached the socket and can be sent elsewhere. */
  readonly sent: boolean;
  /** Milliseconds for which the statement occupied its connection. */
  readonly took: number;
}

export type OutcomeCallback = (outcome: StatementOutcome) => void;
export type ErrorCallback = (error: unknown) => void;
