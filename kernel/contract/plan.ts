/**
 * What runs per request: a frame (the working memory of an invocation), and the closures that a plugin contributes to a
 * plan. Everything here is decided at load; nothing reads a definition again.
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

/** The part of an AbortSignal that the contract relies on; the light zone has no platform types. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** Claims of a verified token; a null prototype, or own properties only are read. */
export type Claims = Readonly<Record<string, unknown>>;

/** The working memory of one invocation. Slots and results are indexed; no name is looked up while it runs. */
export interface Frame {
  readonly invocation: Invocation;
  /** The payload as the steps of this request see it; a step that changes a value replaces the whole object. */
  payload: Payload;
  /** The payload as it came. */
  received: Payload;
  /** Claims that a guard verified; null when nobody did. */
  claims: Claims | null;
  /** Named values (`for`), by slot number. */
  readonly slots: unknown[];
  /** Results of actionables by their place in the plan; undefined before they ran. */
  readonly results: unknown[];
  /** Headers of the answer, by lower-case name; what a step puts here is dropped when the request is refused. */
  readonly headers: Record<string, string>;
  /** Headers, by lower-case name, that stay when the request is refused; for steps of a resource. Null: none. */
  lastingHeaders: Readonly<Record<string, string>> | null;
  /**
   * Runs `work` once what has been done so far is committed: at once outside a unit of work, after its commit inside one,
   * never when it is rolled back.
   */
  whenCommitted(work: () => void | Promise<void>): void | Promise<void>;
  /** The instant of this request as ISO 8601 text; the same wherever it is read. */
  now(): string;
  /** Nothing behind the actionable that sets it is done; what was done before it stays, and is committed. */
  stopped: boolean;
  /** Work shared by adjacent actionables (a transaction), or null outside one. */
  unit: unknown;
  /** Place in the plan of the last actionable whose work will last, whatever fails after it; -1 before there is one. */
  readonly committedTo: number;
  /**
   * A frame with a payload of its own, for work that is repeated for each item; values made once are made anew, or taken
   * from `before`, the fork for the same item in an earlier try.
   */
  fork(payload: Payload, before?: Frame): Frame;
}

/** Reads a value of the frame; throws a Fault when the value cannot be resolved. */
export type Reader<T = unknown> = (frame: Frame) => T;

/** Takes secret fields out of a value, at any depth; gives the value itself where nothing had to go. */
export type Hide = (value: unknown) => unknown;

export interface Step {
  /**
   * Of an actionable, before its work: replaces what was sent by what may be kept (hashed, encrypted). Where the work is done
   * later, it runs when the work is accepted.
   */
  readonly seals?: true;
  /** For the plan viewer: `payload_validation`, `returnables`. */
  readonly id: string;
  readonly phase: number;
  /** Order within the phase, default 0. */
  readonly order?: number;
  /** Of an answer: when it refuses, what the last unit of work has done is taken back. */
  readonly undoes?: true;
  /** Only shapes what is there: never refuses, never ends the request. */
  readonly total?: true;
  /** Does nothing but keep these names of the result, or of each of its rows, and hide what `hides` takes out of them. */
  readonly picks?: readonly string[];
  readonly hides?: Hide;
  /** Takes the result as it leaves, values and JSON text (`Rendered`) alike. */
  readonly takesText?: true;
  /** Takes long: a unit of work that this step is part of is opened only when a turn was taken, and holds it to its end. */
  readonly turns?: Turns;
  run(frame: Frame, action: ActionState): void | Done | Promise<void | Done>;
}

/** Bounds how many units of work at a time may be kept waiting by steps of one sort; who waits holds nothing yet. */
export interface Turns {
  /** Gives the function that ends the turn. Rejects with a Fault when too many wait. */
  take(asker?: Asker | null): Promise<() => void>;
}

/** The actionable (or, for phases of a resource, the resource) a step works on: its result may be read and replaced. */
export interface ActionState {
  result: unknown;
}

/** Does the work of one actionable and gives its result, or a promise of it. */
export type Execute = (frame: Frame) => unknown;

/** The transaction behind a unit, as the handle of a plugin knows it. */
export interface SharedUnit {
  /** Kind of the handle. */
  readonly kind: string;
  readonly handle: unknown;
  /** The handle's own transaction. */
  readonly of: (unit: unknown) => unknown;
}

/** How a row that is read is held until the transaction ends: nobody else may change it, or also nobody else hold it so. */
export type RowLock = 'share' | 'update';

/** What a transaction needs, so that requests behave as if they ran one after another. */
export interface IsolationNeed {
  /**
   * `statement`: one statement, which its database does at once. `locks`: whatever is read is locked. `snapshot`: only reads, as of
   * one moment. `serializable`: the database has to find out whether it met another one.
   */
  readonly level: 'statement' | 'locks' | 'snapshot' | 'serializable';
  /** Others that are serializable touch its tables: where a database watches only those, this one is to be watched too. */
  readonly among: boolean;
  readonly lock: RowLock | null;
  /** For people. */
  readonly why: string;
}

/** Shared work of adjacent actionables: opened before the first, committed after the last, all or nothing. */
export interface Unit {
  /** Whose transaction it is, for those who may take part in it. Absent: nobody may. */
  readonly shared?: SharedUnit;
  /** Actionables with the same key and next to one another share one unit. */
  readonly key: string;
  /** How it is kept from others, for `lintel plan`. */
  readonly describe?: Readonly<Record<string, Json>>;
  /**
   * One unit for several neighbours (itself among them, in their order), settled at load. `closing`: nothing that comes
   * after the work of the last one can refuse, so that work and commit may travel together. `needs`: for each of them, the
   * places in this list of those whose results it depends on.
   */
  join(others: readonly Unit[], closing: boolean, needs: readonly (readonly number[])[]): Unit;
  open(frame: Frame): Promise<unknown>;
  commit(unit: unknown): Promise<void>;
  rollback(unit: unknown): Promise<void>;
  /** True when the whole unit may be run again after this error. */
  retryable(error: unknown): boolean;
}

export interface ModePlan {
  readonly execute: Execute;
  readonly unit?: Unit;
  /** The unit is opened even when no neighbour shares it: the work is more than one step by itself. */
  readonly always?: true;
  /** Changes nothing anywhere: it may be done any number of times. */
  readonly pure?: true;
  /** Only reads in its store: it may be done again, and may then give something else. */
  readonly reads?: true;
  /** The body of the request may be an array. */
  readonly takesList?: true;
  /** ... and must be one. */
  readonly needsList?: true;
  /** Files may come with the request. */
  readonly files?: FileLimits;
  /**
   * The same work with its result as `Rendered` JSON text of these names (null: all), without what `hide` takes out, for
   * a result at which nobody looks on its way out; null where it cannot.
   */
  readonly renders?: (names: readonly string[] | null, hide: Hide | null) => Execute | null;
  /** Readable form for `lintel plan`: no secrets, no closures. */
  readonly describe: Json;
}

/** The compiler's services while a plugin plans one place of a definition. */
export interface PlanTools {
  /** The definition of the resource that answers, whole. */
  readonly root: Readonly<Record<string, Json>>;
  /** The definition of the resource that this place stands in, whole: another one where its actionable is depended on. */
  readonly owner: Readonly<Record<string, Json>>;
  /** Whether the definitions that are compiled together, or the config, use a plugin. */
  used(plugin: string): boolean;
  /** The config allows what only tests may do. */
  readonly testing: boolean;
  /** The list for whose items the work is repeated; null when it is done once. */
  readonly repeat: Repeat | null;
  /** Where this is, for messages: `signup#2`. */
  readonly place: string;
  /** Changes with every text that is compiled together: what is kept beyond this set belongs to it alone. */
  readonly version: string;
  /**
   * What this place reads of a request, as far as it went through these tools: fields of the payload, claims, headers, names
   * that others give. Complete once the plan is made; for a resource, what all its actionables read. Plugins whose fact `judges`
   * is set read nothing in this sense: they let a request in or not, each time, and no answer depends on them.
   */
  reads(): readonly ReadPlace[];
  /**
   * Notes that this place reads a field of the payload without asking these tools for a reader (null: the payload itself); what
   * was sent is meant, also where a result gives the same name. What is not noted tells no cached answers apart.
   */
  readsPayload(field: string | null): void;
  /** A value of the definition as a reader; strings may hold accessors, everything else is constant. */
  value(json: Json): Reader;
  /** As `value`, but always text. */
  text(json: Json): Reader<string>;
  /** The actionable runs at the same time as its neighbours. */
  readonly parallel: boolean;
  /** What the statement of this actionable needs; null where it runs as it is written. */
  readonly isolation: IsolationNeed | null;
  /** An entry of a parameter list: an accessor, a name, or a literal, as the checker decided it. */
  parameter(json: Json, pointer: string): ParameterPlan;
  /**
   * The slot of what a name is at this place: a value that an actionable gives (`for`, `generate`, the result of one before it).
   * Null where the name is one of the payload.
   */
  slot(name: string): number | null;
  /** Of a mode that gives a list: what is read by name of its one item; null: nothing is, and the list may have any length. */
  outputs(): Outputs | null;
  /** Reads a claim of the verified token; one that the token lacks ends the request with 403. */
  claim(path: readonly string[]): Reader;
  /** What the request lacks is null here, instead of ending it. */
  readonly absentIsNull: boolean;
  /** What the rules say of a payload field, or of what is inside it; null when they do not know the field. */
  payloadField(name: string, ...inside: readonly string[]): { readonly optional: boolean } | null;
  /** A query of this actionable takes the value of this path, or an object around it, for a column or a field of a document. */
  writes(path: readonly string[]): boolean;
  /** Notes that a request without this payload path is refused, so that sample requests have it. */
  needs(path: readonly string[]): void;
  /**
   * Whose uids a message of this place means: callers of the resource with this id, or null for what the definition says by itself.
   * Throws BootError where that is not certain.
   */
  owners(guarded: string | null): Owners;
  /** A slot nobody else knows: for values that must be made once per request. */
  memo(): number;
  /**
   * Gives a name of this resource a value that is made once per request, and anew for each item of a list. The returned
   * function does it; null where the name has another source that wins.
   */
  made(name: string, make: () => unknown): ((frame: Frame) => void) | null;
  /** Index of an actionable (`self` or another resource) in the results of the frame; null for an unknown one. */
  action(resource: string, id: number): number | null;
  /** Notes that this place reads the result with that index, at this path (empty: all of it). What is not noted is not kept for later. */
  takes(index: number, path: readonly string[]): void;
  /** Index of the main result, then of the other results, latest first. */
  readonly lookupOrder: readonly number[];
  /** Columns of the tables that this actionable touches, by table and field name. */
  readonly columns: readonly ModelColumn[];
  /** These tables, whole. */
  readonly tables: readonly ModelTable[];
  /** Some table has a column with an index of its values: what is encrypted may have to be found by it. */
  readonly indexes: boolean;
  /** The configured instance of a kind of store on which the query of this actionable runs. */
  connection(kind: Kind<never>): string;
  /** The actionable whose result the resource answers, as written; null when nothing runs. */
  readonly main: Readonly<Record<string, Json>> | null;
  /** Fields never answered unless `returnables` names them. */
  readonly secrets: ReadonlySet<string>;
  /** The same, of everything that runs for the resource: what leaves may hold values of any of its results. */
  readonly allSecrets: ReadonlySet<string>;
  /**
   * What hashes look like, where results of stores that may hold some are answered; null where none are. Text that has one in it
   * never leaves under a name that is not one of a secret.
   */
  readonly conceals: RegExp | null;
  /** Paths of results that are opened for the caller: they leave as other values do. */
  readonly revealed: readonly string[];
  /** Names of the plugins of a kind that this actionable (or resource) selects by key. */
  chosen(kind: Kind<never>): readonly string[];
  /** The handle of a plugin named in the spec's `requires`. */
  resolve<H>(kind: Kind<H>, name: string): H;
}

/** Names of the one item of a list, for the actionables behind it. */
export interface Outputs {
  readonly names: readonly string[];
  give(frame: Frame, item: Readonly<Record<string, unknown>>): void;
}

/** Something of a request on which the outcome depends. */
export type ReadPlace =
  /** A field of the payload, whole; null for the payload itself. Where the name has a slot, its value is meant first. */
  | { readonly from: 'payload'; readonly field: string | null; readonly slot: number | null }
  | { readonly from: 'claims'; readonly path: readonly string[] }
  | { readonly from: 'result'; readonly index: number }
  /** Whatever else; the reader may throw. */
  | {
      readonly from: 'elsewhere';
      readonly read: Reader;
      /** The header that is read, in lower case, where it is one. */
      readonly header?: string;
      /** The address of the client is read. */
      readonly remote?: true;
    };

/** A list, and where it comes from. */
export interface Repeat {
  /** The body itself may be the list. */
  readonly body: boolean;
  /** What the list is called in the definition, or null. */
  readonly name: string | null;
  /** The list as it is in this request, outside the body itself; undefined or null when there is none. */
  readonly read: Reader;
  /** JSON pointer of the list in the payload; null for one that is not in the payload. */
  readonly pointer: string | null;
  /** A request may leave it out. */
  readonly optional: boolean;
}

export interface ParameterPlan {
  readonly source: 'accessor' | 'name' | 'literal';
  readonly label: string;
  /** The payload field this parameter comes from, if it does. */
  readonly field: string | null;
  /** Of a literal: the value. */
  readonly literal?: Json;
  readonly read: Reader;
}
