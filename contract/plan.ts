/** The frame and the closures that plugins contribute to a plan. No definition is read at run time. */
import type { BlindIndexSource } from './migration.js';
import type { Requester } from './requester.js';
import type { UidNamespace } from './delivery.js';
import type { FileLimits, Invocation, Payload } from './invocation.js';
import type { Json } from './json.js';
import type { Kind } from './kind.js';
import type { ModelColumn, ModelTable } from './model.js';
import type { FinalResult } from './reply.js';

export type {
  ActionTiming,
  Connection,
  FileLimits,
  CallerIdentity as Identified,
  Identity,
  Invocation,
  Payload,
  ProofSort,
  UploadedFile,
} from './invocation.js';

/** A part of AbortSignal: this module has no platform types. */
export interface Signal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void): void;
}

/** With a null prototype or read as own properties only. */
export type Claims = Readonly<Record<string, unknown>>;

/** The working memory of one invocation, indexed so that no name is looked up at run time. */
export interface Frame {
  readonly invocation: Invocation;
  /** A step that changes a value replaces the whole object. */
  payload: Payload;
  /** The original payload. */
  received: Payload;
  /** Null when unauthenticated. */
  claims: Claims | null;
  /** Named values (`for`). */
  readonly slots: unknown[];
  /** By index of the actionable; undefined before it ran. */
  readonly results: unknown[];
  /** Lower-case names; error responses discard them. */
  readonly headers: Record<string, string>;
  /** Headers that error responses keep, for steps of a resource. */
  lastingHeaders: Readonly<Record<string, string>> | null;
  /** Immediately outside a transaction, after the commit inside one, never after a rollback. */
  afterCommit(work: () => void | Promise<void>): void | Promise<void>;
  /** The instant of this request as ISO 8601 text. */
  now(): string;
  /** Skips later actionables; earlier work is committed. */
  stopped: boolean;
  /** The open unit of work (a transaction), or null. */
  unit: unknown;
  /** Index of the last actionable with lasting work, or -1. */
  readonly committedTo: number;
  /**
   * A frame with its own payload, for repeated work. Generated values are new, or those of `before`, its fork in an
   * earlier attempt.
   */
  forkFrame(payload: Payload, before?: Frame): Frame;
}

/** Throws a Fault when the value cannot be resolved. */
export type Reader<T = unknown> = (frame: Frame) => T;
/** At any depth; returns the value itself without any. */
export type Hide = (value: unknown) => unknown;
/** A value that a slot gets from an earlier result. */
export interface ResultCopy {
  readonly slot: number;
  readonly source: number;
  readonly path: readonly string[];
}

export interface Step {
  /**
   * Replaces sensitive input by its stored form (hashed, encrypted) before the work, or when deferred work is
   * accepted.
   */
  readonly seals?: true;
  /** For the plan viewer: `payload_validation`, `returnables`. */
  readonly id: string;
  readonly phase: number;
  /** Within the phase; default 0. */
  readonly order?: number;
  /** A rejection by this response step rolls back the last unit. */
  readonly undoes?: true;
  /** Never rejects and never ends the request. */
  readonly total?: true;
  /** Only selects these names, without what `hides` removes. */
  readonly picks?: readonly string[];
  readonly hides?: Hide;
  /** Accepts `RawJson` text as well as values; a step of an actionable a `JsonStream` too, which has rows. */
  readonly takesText?: true;
  /** Only copies these values of earlier results into slots. An empty path: the whole result, which may be text. */
  readonly copies?: readonly ResultCopy[];
  /** Only rejects an empty result. */
  readonly onlyEmpty?: true;
  /** A unit opens only after it acquired a slot, and holds it to its end. */
  readonly turns?: StepLimiter;
  /** Set by the compiler: the actionable of a step in the phases of the resource. */
  readonly action?: string;
  run(frame: Frame, action: ActionState): void | FinalResult | Promise<void | FinalResult>;
}

/** Limits how many units run slow steps at a time; a waiting unit holds no resources. */
export interface StepLimiter {
  /** Acquires a slot; returns the function that releases it. Rejects when too many wait. */
  acquire(requester?: Requester | null): Promise<() => void>;
}

/** Of the actionable, or of the resource in its phases. */
export interface ActionState {
  result: unknown;
}

type Names = readonly string[] | null;
export type Execute = (frame: Frame) => unknown;

/** The transaction of a unit, as a plugin's handle knows it. */
export interface SharedUnit {
  readonly kind: string;
  readonly handle: unknown;
  readonly of: (unit: unknown) => unknown;
}

/** Against changes (`share`), or against other locks too (`update`). */
export type RowLock = 'share' | 'update';

/** What a transaction needs so that requests are serializable. */
export interface IsolationNeed {
  /**
   * `statement`: one atomic statement. `locks`: read rows are locked. `snapshot`: reads only. `serializable`: the
   * database detects conflicts.
   */
  readonly level: 'statement' | 'locks' | 'snapshot' | 'serializable';
  /** Other serializable transactions use its tables, so it must be tracked too. */
  readonly among: boolean;
  readonly lock: RowLock | null;
  /** Explains the level to people. */
  readonly why: string;
}

/** What surrounds the work of a unit in its actionable. */
export interface UnitPlace {
  /** Of the actionable in its plan. */
  readonly index: number;
  readonly before: readonly Step[] | null;
  readonly after: readonly Step[] | null;
  /** Plugins see the work itself. */
  readonly isTapped: boolean;
}

/** A transaction of adjacent actionables. */
export interface Unit {
  /** Absent: the transaction cannot be shared. */
  readonly shared?: SharedUnit;
  /** Adjacent actionables with equal keys share one unit. */
  readonly key: string;
  /** Its isolation, for `lintel plan`. */
  readonly describe?: Readonly<Record<string, Json>>;
  /**
   * Combines adjacent units at load, in order. `closing`: nothing after the last one's work can reject, so work and
   * commit may be sent together. `needs`: the indexes of the units that each depends on. `places`: what surrounds the
   * work of each.
   */
  join(
    others: readonly Unit[],
    closing: boolean,
    needs: readonly (readonly number[])[],
    places: readonly UnitPlace[],
  ): Unit;
  open(frame: Frame): Promise<unknown>;
  commit(unit: unknown): Promise<void>;
  rollback(unit: unknown): Promise<void>;
  /** True when the whole unit may be retried. */
  retryable(error: unknown): boolean;
}

export interface ModePlan {
  readonly execute: Execute;
  readonly unit?: Unit;
  /** The unit opens even for this actionable alone. */
  readonly always?: true;
  /** Without side effects. */
  readonly pure?: true;
  /** Only reads its store; a repetition may return another result. */
  readonly reads?: true;
  readonly takesList?: true;
  readonly needsList?: true;
  /** Absent: files are rejected. */
  readonly files?: FileLimits;
  /**
   * The same work with `RawJson` of these names (null: all), or null where that is impossible. For results that no
   * later step reads. `streams`: the result may be a `JsonStream`. `inside`: the work runs in a unit. `passes`: the result is the value of this slot.
   */
  readonly renders?: (names: Names, hide: Hide | null, streams: boolean, inside: boolean) => Execute | null;
  readonly passes?: number | null;
  /** For a debugger: what the work would send. Throws a Fault where a value is missing. */
  readonly preview?: (frame: Frame) => Preview;
  /** For `lintel plan`: no secrets, no closures. */
  readonly describe: Json;
}

/** Texts and values by name, in the order shown. */
export type Preview = Readonly<Record<string, unknown>>;

/** For a plugin that plans one place of a definition. */
export interface PlanTools {
  /** The complete definition of the requested resource. */
  readonly root: Readonly<Record<string, Json>>;
  /** The definition that contains this place; differs from `root` for dependencies. */
  readonly owner: Readonly<Record<string, Json>>;
  /** Whether any definition or the config uses a plugin. */
  used(plugin: string): boolean;
  /** The config enables features for tests. */
  readonly testing: boolean;
  /** Set for work that is repeated. */
  readonly repeat: Repeat | null;
  /** For messages: `signup#2`. */
  readonly place: string;
  /** Changes with every source text of the set. */
  readonly version: string;
  /**
   * The inputs read through these tools, complete once the plan exists; for a resource, of all its actionables. Those
   * of plugins with the fact `validates` do not count.
   */
  reads(): readonly ReadPlace[];
  /**
   * This place reads a payload field directly (null: the whole payload). Cached responses vary only by recorded
   * inputs.
   */
  recordPayloadRead(field: string | null): void;
  /** Strings may contain accessors; everything else is constant. */
  value(json: Json): Reader;
  text(json: Json): Reader<string>;
  /** The slot that is the whole value; null for any other value. */
  valueSlot(json: Json): number | null;
  /** Runs concurrently with its neighbours. */
  readonly parallel: boolean;
  /** Null where the statement runs as written. */
  readonly isolation: IsolationNeed | null;
  /** An entry of a parameter list, as the checker classified it. */
  parameter(json: Json, pointer: string): ParameterPlan;
  /** The slot of a name that an actionable provides; null for a payload field. */
  slot(name: string): number | null;
  /** For a mode that returns a list: names that are read from its only item; null: none. */
  outputs(): Outputs | null;
  /** A missing claim ends the request with 403. */
  claim(path: readonly string[]): Reader;
  /** Missing values are null, instead of ending the request. */
  readonly absentIsNull: boolean;
  /** Null for an unknown field. */
  payloadField(name: string, ...inside: readonly string[]): { readonly optional: boolean } | null;
  /** Whether a query writes the value at this path, or an object around it. */
  isWritten(path: readonly string[]): boolean;
  /** Records a required payload path, for sample requests. */
  recordRequiredPath(path: readonly string[]): void;
  /**
   * The uid namespace of a message: that of `guarded`, or null for this resource's own. Throws BootError where it is
   * ambiguous.
   */
  resolveUidNamespace(guarded: string | null): UidNamespace;
  /** Allocates a private slot for a value created once per request. */
  allocateSlot(): number;
  /**
   * Gives a name a value created once per request, or per item. Returns its creator, or null where another source
   * takes precedence.
   */
  assignGenerated(name: string, make: () => unknown): ((frame: Frame) => void) | null;
  /** `resource` may be `self`; null for an unknown actionable. */
  action(resource: string, id: number): number | null;
  /** Empty path: all of it. Deferred work stores only recorded results. */
  recordResultRead(index: number, path: readonly string[]): void;
  /** The main result, then the others, latest first. */
  readonly lookupOrder: readonly number[];
  /** Columns of the tables that this actionable uses. */
  readonly columns: readonly ModelColumn[];
  readonly tables: readonly ModelTable[];
  /** For rows written before their column had a blind index. */
  recordIndexSource(source: BlindIndexSource): void;
  /** Some table has a blind index. */
  readonly indexes: boolean;
  /** The instance of this kind on which the query runs. */
  connection(kind: Kind<never>): string;
  /** As written; null when nothing runs. */
  readonly main: Readonly<Record<string, Json>> | null;
  /** Omitted from responses unless `returnables` names them. */
  readonly secrets: ReadonlySet<string> & { readonly derived?: ReadonlySet<string> };
  /** Those of all that runs for the resource, because a response may contain any result. */
  readonly allSecrets: ReadonlySet<string> & { readonly derived?: ReadonlySet<string> };
  /**
   * Pattern of stored hashes, which responses omit unless a definition names them; null where results cannot contain
   * any.
   */
  readonly conceals: RegExp | null;
  /** Paths of results that are decrypted for the caller. */
  readonly revealed: readonly string[];
  /** Plugins of a kind that are selected by key here. */
  chosen(kind: Kind<never>): readonly string[];
  /** Only for plugins in the spec's `requires`. */
  resolve<H>(kind: Kind<H>, name: string): H;
}

/** Names of a list's only item, for later actionables. */
export interface Outputs {
  readonly names: readonly string[];
  assignItem(frame: Frame, item: Readonly<Record<string, unknown>>): void;
}

export type ReadPlace =
  /** Null: the whole payload. A slot takes precedence. */
  | { readonly from: 'payload'; readonly field: string | null; readonly slot: number | null }
  | { readonly from: 'claims'; readonly path: readonly string[] }
  | { readonly from: 'result'; readonly index: number }
  /** The reader may throw. */
  | {
      readonly from: 'elsewhere';
      readonly read: Reader;
      /** Lower case; set where a header is read. */
      readonly header?: string;
      readonly remote?: true;
    };

/** A list for repeated work. */
export interface Repeat {
  readonly body: boolean;
  /** Its name in the definition. */
  readonly name: string | null;
  /** Reads the list, unless `body`; undefined or null when absent. */
  readonly read: Reader;
  /** JSON pointer into the payload; null for a list from elsewhere. */
  readonly pointer: string | null;
  readonly optional: boolean;
}

export interface ParameterPlan {
  readonly source: 'accessor' | 'name' | 'literal';
  readonly label: string;
  /** Set where the parameter is a payload field. */
  readonly field: string | null;
  readonly literal?: Json;
  /** The slot that provides the value; null for any other value. */
  readonly slot?: number | null;
  /** The value does not depend on the results of other actionables. */
  readonly isInput?: boolean;
  readonly read: Reader;
}
