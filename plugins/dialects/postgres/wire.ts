/**
 * The state of a connection: its prepared statements, the statements in flight, and its load. The protocol is in `statement.ts`.
 */
import type { Rendering, Row } from '../../kinds/dialect.js';
import { UNBOUNDED, type ResultLimits } from '../../shared/results.js';
import { Page, type Layout } from './json-rows.js';
import type { RowClient } from './reader.js';
import type { Shape } from './rows.js';
import type { Statement } from './statement.js';

/** A statement prepared on this connection, with its row description once received. */
export interface Known {
  shape: Shape | null;
  /** The layout of the last rendering; null when its rows must be built as objects. */
  layout?: { readonly rendering: Rendering; readonly layout: Layout | null };
}

export interface Wire {
  readonly client: RowClient;
  readonly statements: Map<string, Known>;
  /** Names that the server may hold and must close before they are parsed again. */
  readonly stale: Set<string>;
  readonly shared: boolean;
  readonly limits: ResultLimits;
  /** Buffer for results sent as JSON text; rows arrive for one statement at a time. */
  readonly page: Page;
  /** Sent data is buffered until the end of this event loop turn. */
  flushing: boolean;
  /** The number of statements sent and not yet answered. */
  inFlight: number;
  head: Statement | null;
  tail: Statement | null;
  /** Time of the last progress, in milliseconds of `performance.now`. */
  since: number;
}

/** `shared`: used by several callers; their statements of one event loop turn are sent in one packet. */
export const createWire = (client: RowClient, shared: boolean, limits = UNBOUNDED): Wire => ({
  client,
  shared,
  limits,
  page: new Page(),
  flushing: false,
  statements: new Map(),
  stale: new Set(),
  inFlight: 0,
  head: null,
  tail: null,
  since: 0,
});

/** Makes the connection parse a statement again before its next use; without a name, all statements. */
export function forget(wire: Wire, name?: string): void {
  for (const known of name === undefined ? [...wire.statements.keys()] : [name]) {
    if (wire.statements.delete(known)) wire.stale.add(known);
  }
}

/** The name and text of a prepared statement. */
export interface Command {
  readonly name: string;
  readonly text: string;
}

/** How a statement is sent. */
export interface Sending {
  /** Commands without values or rows in the same packet; a failure prevents the following ones from running. */
  readonly before: Command | null;
  readonly after: Command | null;
  /** Converts the rows to JSON text. */
  readonly rendering: Rendering | null;
}
export const ALONE: Sending = { before: null, after: null, rendering: null };

export interface Outcome {
  readonly error: unknown;
  /** Not named `rows`: pg treats a query with that property as one that reads in portions. */
  readonly answer: readonly Row[];
  /** The result as JSON text, if requested. */
  readonly json: Uint8Array | null;
  /** The command tag of the server, such as `COMMIT`. */
  readonly tag: string;
  /** False when the statement never reached the socket and can be sent elsewhere. */
  readonly sent: boolean;
  /** Milliseconds for which the statement occupied its connection. */
  readonly took: number;
}
