/**
 * A connection as statements see it: its memory of those that are parsed there, those that are under way, and its load. How a
 * statement travels is in `statement.ts`.
 */
import type { Rendering, Row } from '../../kinds/dialect.js';
import { UNBOUNDED, type ResultLimits } from '../../shared/results.js';
import { Page, type Layout } from './json-rows.js';
import type { RowClient } from './reader.js';
import type { Shape } from './rows.js';
import type { Statement } from './statement.js';

/** What one connection knows of a statement: that it is parsed there, and its row description once it was told. */
export interface Known {
  shape: Shape | null;
  /** Of its latest rendering; null where its rows cannot be written without objects. */
  layout?: { readonly rendering: Rendering; readonly layout: Layout | null };
}

/** A connection, its memory of statements and its load. */
export interface Wire {
  readonly client: RowClient;
  readonly statements: Map<string, Known>;
  /** Names that the server may hold and must forget before they are parsed again. */
  readonly stale: Set<string>;
  readonly shared: boolean;
  readonly limits: ResultLimits;
  /** Where answers are written that leave as JSON text; one statement at a time gets rows. */
  readonly page: Page;
  /** What was sent waits for the end of this turn. */
  flushing: boolean;
  /** Statements sent and not yet answered, in their order. */
  inFlight: number;
  head: Statement | null;
  tail: Statement | null;
  /** When the connection last made progress (milliseconds of `performance.now`). */
  since: number;
}

/** `shared`: several callers send on it; what they send in one turn of the event loop leaves in one packet. */
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

/** Makes a connection parse a statement anew (all of them without a name) before its next use. */
export function forget(wire: Wire, name?: string): void {
  for (const known of name === undefined ? [...wire.statements.keys()] : [name]) {
    if (wire.statements.delete(known)) wire.stale.add(known);
  }
}

/** The part of a prepared statement that travels. */
export interface Command {
  readonly name: string;
  readonly text: string;
}

/** How a statement travels. */
export interface Sending {
  /** Commands without values or rows in the same packet: what fails keeps the rest from running. */
  readonly before: Command | null;
  readonly after: Command | null;
  /** Its rows become text. */
  readonly rendering: Rendering | null;
}
export const ALONE: Sending = { before: null, after: null, rendering: null };

export interface Outcome {
  readonly error: unknown;
  /** Not `rows`: pg takes a query with that property for one that reads in portions. */
  readonly answer: readonly Row[];
  /** The answer as JSON text, where that was asked for. */
  readonly json: Uint8Array | null;
  /** The server's word for what it did, `COMMIT`. */
  readonly tag: string;
  /** False when the statement never reached the socket: it can be sent elsewhere. */
  readonly sent: boolean;
  /** Milliseconds that the statement held up its connection. */
  readonly took: number;
}
