/**
 * The working memory of a request (the frame) and the closures that plugins contribute to a plan. All decisions are made
 * at load; no definition is read at run time.
 */
import type { Asker } from './asker.js';
import type { Owners } from './deferred.js';
import type { FileLimits, Invocation, Payload } from './invocation.js';
import type { Json } from './json.js';
import type { Kind } from './kind.js';
import type { ModelColumn, ModelTable } from './model.js';
import type { Done } from './hooks.js';

export type {
  ActionTiming,
  Connection,
  FileLimits,
  Identified,
  Identity,
  Invocation,
  Payload,
  ProofSort,
  UploadedFile,
} from './invocation.js';

/** The part of AbortSignal that the contract uses, because this module has no platform types. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** Claims of a verified token; either a null prototype, or readers access own properties only. */
export type Claims = Readonly<Record<string, unknown>>;

/** The working memory of one invocation. Slots and results are indexed, so no name is looked up at run time. */
export interface Frame {
  readonly invocation: Invocation;
  /** The payload as the steps of this request see it; a step that changes a value replaces the whole object. */
  payload: Payload;
  /** The original payload. */
  received: Payload;
  /** Claims that a guard verified; null when unauthenticated. */
  claims: Claims | null;
  /** Named values (`for`), by slot number. */
  readonly slots: unknown[];
  /** Results of actionables by their index in the plan; undefined before they ran. */
  readonly results: unknown[];
  /** Response headers by lower-case name; an error response discards them. */
  readonly headers: Record<string, string>;
  /** Response headers by lower-case name that error responses keep, for steps of a resource. Null: none. */
  lastingHeaders: Readonly<Record<string, string>> | null;
  /**
   * Runs `work` once everything done so far is committed: immediately outside a transaction, after its commit inside one,
   * never after a rollback.
   */
  whenCommitted(work: () => void | Promise<void>): void | Promise<void>;
  /** The instant of this request as ISO 8601 text; constant within the request. */
  now(): string;
  /** Set by an actionable to skip the ones after it; the work before it remains and is committed. */
  stopped: boolean;
  /** The open unit (a transaction) of adjacent actionables, or null. */
  unit: unknown;
  /** Index of the last actionable whose work survives later failures; -1 before there is one. */
  readonly committedTo: number;
  /**
   * Returns a frame with its own payload, for work that is repeated for each item. Generated values are created anew, or
   * copied from `before`, the fork of the same item in an earlier attempt.
   */
  fork(payload: Payload, before?: Frame): Frame;
}

/** Reads a value of the frame; throws a Fault when the value cannot be resolved. */
export type Reader<T = unknown> = (frame: Frame) => T;

/** Removes secret fields from a value, at any depth; returns the value itself when it has none. */
export type Hide = (value: unknown) => unknown;

export interface Step {
  /**
   * A step of an actionable that replaces sensitive input by its stored form (hashed, encrypted) before the work. For
   * deferred work it runs when the work is accepted.
   */
  readonly seals?: true;
  /** Shown by the plan viewer: `payload_validation`, `returnables`. */
  readonly id: string;
  readonly phase: number;
  /** Order within the phase, default 0. */
  readonly order?: number;
  /** A step of the response whose rejection rolls back the last unit of work. */
  readonly undoes?: true;
  /** Only transforms the result: it never rejects and never ends the request. */
  readonly total?: true;
  /** Only selects these names of the result or of each row, without what `hides` removes. */
  readonly picks?: readonly string[];
  readonly hides?: Hide;
  /** Accepts results as JSON text (`Rendered`) as well as values. */
  readonly takesText?: true;
  /**
   * Limits concurrency of a slow step: a unit that contains the step opens only after it acquired a slot, and holds it to its
   * end.
   */
  readonly turns?: Turns;
  run(frame: Frame, action: ActionState): void | Done | Promise<void | Done>;
}

/** Limits how many units at a time may run slow steps of one kind; a waiting unit holds no resources yet. */
export interface Turns {
  /** Returns the function that releases the slot. Rejects with a Fault when too many wait. */
  take(asker?: Asker | null): Promise<() => void>;
}

/** The actionable (or, in phases of a resource, the resource) of a step: its result may be read and replaced. */
export interface ActionState {
  result: unknown;
}

/** Runs one actionable and returns its result, or a promise of it. */
export type Execute = (frame: Frame) => unknown;

/** The transaction of a unit, as the handle of a plugin knows it. */
export interface SharedUnit {
  readonly kind: string;
  readonly handle: unknown;
  /** Returns the handle's own transaction. */
  readonly of: (unit: unknown) => unknown;
}

/** The lock on rows that are read: against changes only (`share`), or against other locks as well (`update`). */
export type RowLock = 'share' | 'update';

/** The isolation that a transaction needs so that requests are serializable. */
export interface IsolationNeed {
  /**
   * `statement`: one statement, which is atomic in its database. `locks`: every row read is locked. `snapshot`: reads only, of
   * one snapshot. `serializable`: the database must detect conflicts.
   */
  readonly level: 'statement' | 'locks' | 'snapshot' | 'serializable';
  /**
   * Other serializable transactions use its tables, so a database that detects conflicts only among those must include this one.
   */
  readonly among: boolean;
  readonly lock: RowLock | null;
  /** Explanation for people. */
  readonly why: string;
}

/** A transaction shared by adjacent actionables: it opens before the first and commits after the last. */
export interface Unit {
  /** The underlying transaction, for plugins that take part in it. Absent: it cannot be shared. */
  readonly shared?: SharedUnit;
  /** Adjacent actionables with the same key share one unit. */
  readonly key: string;
  /** How it is isolated, for `lintel plan`. */
  readonly describe?: Readonly<Record<string, Json>>;
  /**
   * Combines several adjacent units (this one among them, in order) into one, at load. `closing`: nothing after the work of
   * the last one can reject, so that work and commit may be sent together. `needs`: for each unit, the indexes in this list of
   * the units whose results it uses.
   */
  join(others: readonly Unit[], closing: boolean, needs: readonly (readonly number[])[]): Unit;
  open(frame: Frame): Promise<unknown>;
  commit(unit: unknown): Promise<void>;
  rollback(unit: unknown): Promise<void>;
  /** True when the whole unit may be retried after this error. */
  retryable(error: unknown): boolean;
}

export interface ModePlan {
  readonly execute: Execute;
  readonly unit?: Unit;
  /** The unit opens even when no neighbour shares it, because the work has several steps. */
  readonly always?: true;
  /** Has no side effects and may be repeated any number of times. */
  readonly pure?: true;
  /** Only reads its store: it may be repeated, with a possibly different result. */
  readonly reads?: true;
  /** The request body may be an array. */
  readonly takesList?: true;
  /** The request body must be an array. */
  readonly needsList?: true;
  /** Limits of uploaded files; absent: none are accepted. */
  readonly files?: FileLimits;
  /**
   * Returns the same work with its result as `Rendered` JSON text of these names (null: all), without what `hide` removes;
   * null when that is impossible. Used for results that no later step reads.
   */
  readonly renders?: (names: readonly string[] | null, hide: Hide | null) => Execute | null;
  /** Readable form for `lintel plan`: no secrets, no closures. */
  readonly describe: Json;
}

/** The compiler's services for a plugin that plans one place of a definition. */
export interface PlanTools {
  /** The complete definition of the requested resource. */
  readonly root: Readonly<Record<string, Json>>;
  /** The complete definition that contains this place; another one for actionables that are dependencies. */
  readonly owner: Readonly<Record<string, Json>>;
  /** Whether the definitions compiled together, or the config, use a plugin. */
  used(plugin: string): boolean;
  /** The config enables features that are for tests only. */
  readonly testing: boolean;
  /** The list for whose items the work is repeated; null when it runs once. */
  readonly repeat: Repeat | null;
  /** Where this place is, for messages: `signup#2`. */
  readonly place: string;
  /** Changes with every source text of this set, so values cached beyond one set can be keyed by it. */
  readonly version: string;
  /**
   * The inputs of this place that were read through these tools: payload fields, claims, headers, values of other actionables.
   * Complete once the plan exists; for a resource, the inputs of all its actionables. Plugins with the fact `judges` are not
   * included: they validate every request, and no response depends on what they read.
   */
  reads(): readonly ReadPlace[];
  /**
   * Records that this place reads a payload field directly, as sent (null: the whole payload). Cached responses do not vary by
   * inputs that are not recorded.
   */
  readsPayload(field: string | null): void;
  /** A value of the definition as a reader; strings may contain accessors, everything else is constant. */
  value(json: Json): Reader;
  /** As `value`, but always returns text. */
  text(json: Json): Reader<string>;
  /** The actionable runs concurrently with its neighbours. */
  readonly parallel: boolean;
  /** The isolation that the statement needs; null where it runs as written. */
  readonly isolation: IsolationNeed | null;
  /** An entry of a parameter list: an accessor, a name or a literal, as the checker classified it. */
  parameter(json: Json, pointer: string): ParameterPlan;
  /**
   * Returns the slot of a name that an actionable provides (`for`, `generate`, an earlier result); null where the name is a
   * payload field.
   */
  slot(name: string): number | null;
  /** For a mode that returns a list: the names read from its only item; null: none are, and the list may have any length. */
  outputs(): Outputs | null;
  /** Reads a claim of the verified token; a missing claim ends the request with 403. */
  claim(path: readonly string[]): Reader;
  /** Missing values of the request are null, instead of ending the request. */
  readonly absentIsNull: boolean;
  /** The rules of a payload field or of a nested path; null for an unknown field. */
  payloadField(name: string, ...inside: readonly string[]): { readonly optional: boolean } | null;
  /**
   * Whether a query of this actionable writes the value at this path, or an object around it, into a column or document field.
   */
  writes(path: readonly string[]): boolean;
  /** Records that the payload path is required, so that sample requests contain it. */
  needs(path: readonly string[]): void;
  /**
   * The namespace of the uids in a message of this place: callers of the resource `guarded`, or null for literal uids. Throws
   * BootError where it is ambiguous.
   */
  owners(guarded: string | null): Owners;
  /** Allocates a private slot for a value that is computed once per request. */
  memo(): number;
  /**
   * Assigns a name of this resource a value that is created once per request, and once per item of a list. Returns the function
   * that creates it; null where another source of the name takes precedence.
   */
  made(name: string, make: () => unknown): ((frame: Frame) => void) | null;
  /** Index of an actionable (`self` or another resource) in the results of the frame; null for an unknown one. */
  action(resource: string, id: number): number | null;
  /** Records that this place reads that result at this path (empty: all of it). Deferred work stores only recorded results. */
  takes(index: number, path: readonly string[]): void;
  /** Index of the main result, then of the other results, latest first. */
  readonly lookupOrder: readonly number[];
  /** Columns of the tables that this actionable uses, by table and field name. */
  readonly columns: readonly ModelColumn[];
  /** The complete tables. */
  readonly tables: readonly ModelTable[];
  /** Some table has a blind index, so encrypted values may have to be searchable. */
  readonly indexes: boolean;
  /** Returns the configured instance of this kind of store on which the actionable's query runs. */
  connection(kind: Kind<never>): string;
  /** The actionable whose result is the response, as written; null when nothing runs. */
  readonly main: Readonly<Record<string, Json>> | null;
  /** Fields that responses omit unless `returnables` names them. */
  readonly secrets: ReadonlySet<string>;
  /** The secrets of everything that runs for the resource, because a response may contain values of any of its results. */
  readonly allSecrets: ReadonlySet<string>;
  /**
   * Pattern of stored hashes, where the response contains results of stores that may hold some; null otherwise. Text that
   * matches is removed from responses unless its field is declared a secret.
   */
  readonly conceals: RegExp | null;
  /** Paths of results that are decrypted for the caller; responses contain them like other values. */
  readonly revealed: readonly string[];
  /** Names of the plugins of a kind that this actionable (or resource) selects by key. */
  chosen(kind: Kind<never>): readonly string[];
  /** Returns the handle of a plugin named in the spec's `requires`. */
  resolve<H>(kind: Kind<H>, name: string): H;
}

/** Names of the only item of a list, for later actionables. */
export interface Outputs {
  readonly names: readonly string[];
  give(frame: Frame, item: Readonly<Record<string, unknown>>): void;
}

/** An input of the request that affects the outcome. */
export type ReadPlace =
  /** A payload field, or the payload itself (null). Where the name has a slot, its value takes precedence. */
  | { readonly from: 'payload'; readonly field: string | null; readonly slot: number | null }
  | { readonly from: 'claims'; readonly path: readonly string[] }
  | { readonly from: 'result'; readonly index: number }
  /** Any other input; the reader may throw. */
  | {
      readonly from: 'elsewhere';
      readonly read: Reader;
      /** The lower-case name, where the input is a header. */
      readonly header?: string;
      /** The input is the client address. */
      readonly remote?: true;
    };

/** A list whose items are processed one by one, and its source. */
export interface Repeat {
  /** The body itself may be the list. */
  readonly body: boolean;
  /** The name of the list in the definition, or null. */
  readonly name: string | null;
  /** Reads the list from anywhere but the body itself; undefined or null when there is none. */
  readonly read: Reader;
  /** JSON pointer of the list in the payload; null for a list from elsewhere. */
  readonly pointer: string | null;
  /** A request may omit it. */
  readonly optional: boolean;
}

export interface ParameterPlan {
  readonly source: 'accessor' | 'name' | 'literal';
  readonly label: string;
  /** The payload field of this parameter, if it comes from one. */
  readonly field: string | null;
  /** The value of a literal. */
  readonly literal?: Json;
  readonly read: Reader;
}
