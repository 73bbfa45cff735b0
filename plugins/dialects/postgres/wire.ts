/** The state of a connection: its prepared statements, the statements in flight, and its load. */
import type { Rendering, Row } from '../kind.js';
import { UNBOUNDED, type ResultLimits } from '../../shared/results.js';
import { Page, type Layout } from './json-rows.js';
import type { RowClient } from './reader.js';
import type { Shape } from './rows.js';
import type { Statement } from './statement.js';

/** `shape`: null until the row description is received. */
export interface Known {
  shape: Shape | null;
  /** The last layout; null when its rows must be built as objects. */
  layout?: { readonly rendering: Rendering; readonly layout: Layout | null };
}

export interface Wire {
  readonly client: RowClient;
  readonly statements: Map<string, Known>;
  /** Names to close on the server before they are parsed again. */
  readonly stale: Set<string>;
  readonly shared: boolean;
  readonly limits: ResultLimits;
  /** Buffer for results sent as JSON text. */
  readonly page: Page;
  /** Sent data is buffered until the end of this event loop turn. */
  flushing: boolean;
  inFlight: number;
  head: Statement | null;
  tail: Statement | null;
  /** Time of the last progress, by `performance.now`. */
  since: number;
}

/** `shared`: statements of several callers in one event loop turn are sent in one packet. */
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

/** The connection parses the statement again before its next use; without a name, all statements. */
export function forget(wire: Wire, name?: string): void {
  for (const known of name === undefined ? [...wire.statements.keys()] : [name]) {
    if (wire.statements.delete(known)) wire.stale.add(known);
  }
}

export interface Command {
  readonly name: string;
  readonly text: string;
}

export interface Sending {
  /** Sent in the same packet; a failure prevents the following commands from running. */
  readonly before: Command | null;
  readonly after: Command | null;
  /** Converts the rows to JSON text. */
  readonly rendering: Rendering | null;
}
export const ALONE: Sending = { before: null, after: null, rendering: null };

export interface Outcome {
  readonly error: unknown;
  /** Not named `rows`, because pg would treat it as a query that reads in portions. */
  readonly answer: readonly Row[];
  readonly json: Uint8Array | null;
  /** The command tag, such as `COMMIT`. */
  readonly tag: string;
  /** False: never reached the socket and can be sent elsewhere. */
  readonly sent: boolean;
  /** Milliseconds for which the statement occupied its connection. */
  readonly took: number;
}
