/**
 * The two halves of a plugin: the spec describes it (schema, facts, documentation, examples), the runtime implements it
 * (drivers, crypto, sockets). A spec never imports its runtime, not even dynamically.
 */
import type { Json, JsonObject } from './json.js';
import type { ApiPart, ApiPlace } from './api.js';
import type { CodeEntry, Params } from './problem.js';
import type { Kind } from './kind.js';
import type { Registrar } from './hooks.js';
import type { MigrationHow, MigrationOutline, MigrationProgress } from './migration.js';
import type { Invented } from './mistaken.js';
import type { ModelTable } from './model.js';
import type { Outbound } from './outbound.js';
import type { JobDesk, Running } from './deferred.js';
import type { Kept, KeptElsewhere } from './keeping.js';
import type { Signal } from './plan.js';
import type { Question, Refusal, Scratch } from './trial.js';

/** Marks a schema; `kernel/schema` knows its contents. */
export interface SchemaLike {
  readonly __isYupSchema__: boolean;
}

export type FactValue = string | number | boolean | readonly string[];

export interface Example {
  readonly title: string;
  readonly json: Json;
}

export interface CounterExample extends Example {
  /** The code of the expected problem, and the JSON pointer (into `json`) of its location. */
  readonly code: string;
  readonly at: string;
}

/** A result of a plugin's own check. */
export interface Finding {
  readonly code: string;
  /** JSON pointer relative to the plugin's value; `''` is the value itself. */
  readonly at: string;
  /** The location is the name of the member at `at`, not its value. */
  readonly key?: true;
  /** Narrows the location to characters `[start, end)` of the decoded string at `at`. */
  readonly span?: readonly [number, number];
  readonly params?: Params;
  /** A fix: replacement text for the location, or edits of the plugin's fields. */
  readonly fix?: {
    readonly title: string;
    readonly text?: string;
    readonly edits?: readonly FindingEdit[];
    /** The edits apply to this field of a model that the actionable uses, with pointers relative to it. */
    readonly modelField?: string;
    /** The fix is a guess or a placeholder and needs review. */
    readonly asks?: true;
  };
}

/** `at`: JSON pointer relative to the plugin's value. */
export type FindingEdit =
  /** Replaces characters `[start, end)` of the decoded string; `text` is in JSON notation. */
  | { readonly at: string; readonly span: readonly [number, number]; readonly text: string }
  | { readonly at: string; readonly remove: true }
  /** Replaces the value. */
  | { readonly at: string; readonly value: Json }
  /** Appends items to the list, which is created when absent. */
  | { readonly at: string; readonly add: readonly Json[] }
  /** Adds a member that does not exist yet. */
  | { readonly at: string; readonly put: Json }
  /** Wraps the value in an object, as the member of this name. */
  | { readonly at: string; readonly within: string };

/** The input of a plugin's check. */
export interface CheckPlace {
  /** The slot of the object. */
  readonly slot: string;
  /** The plugin's own fields as written (only those that are present). */
  readonly value: Readonly<Record<string, Json>>;
  /** The complete object in the slot. */
  readonly holder: Readonly<Record<string, Json>>;
  /** The complete definition or config around it. */
  readonly root: Readonly<Record<string, Json>>;
  /** Facts of another plugin; undefined for an unknown one. */
  readonly facts: (kind: string, name: string) => Readonly<Record<string, FactValue>> | undefined;
  /** Facts about an environment variable, never its value; null when it is not set or nothing is known. */
  readonly env: (name: string) => EnvFact | null;
  /** False only where the environment is known and lacks the variable. */
  readonly isSet: (name: string) => boolean;
  /** The config enables features that are for tests only. */
  readonly testing: boolean;
  /** The profile for definitions of another system; null: the native format. */
  readonly profile: string | null;
  /** The actionables of the resource, in order; empty for models and the config. */
  readonly actions: readonly CheckAction[];
  /** Path parameters of the resource that its work reads. */
  readonly inPath: readonly string[];
  /** The config of outbound calls; null where no config is known. */
  readonly outbound: Outbound | null;
  /** Whether the config enables persistent connections; null where no config is known. */
  readonly connections: boolean | null;
  /** The candidate that most resembles the name, for messages and fixes. */
  readonly nearest: (name: string, candidates: Iterable<string>) => string | undefined;
  /** Names that responses omit by default: fields that are hashed, encrypted or marked secret in a model. */
  readonly secrets: ReadonlySet<string>;
}

export interface EnvFact {
  /** Length in characters; `bytes` is its length in UTF-8. */
  readonly length: number;
  readonly bytes: number;
  /** Only white space. */
  readonly blank: boolean;
}

export interface CheckAction {
  /** Index in `actionables`. */
  readonly index: number;
  readonly noOp: boolean;
  readonly main: boolean;
  /** Models whose tables its statements use. */
  readonly models: readonly string[];
  /** Field names of these models as written, and timestamps that queries add. */
  readonly names: readonly string[];
  /** Fields of these models as written, by lower-case name, except those that two models define differently. */
  readonly fields: ReadonlyMap<string, Readonly<Record<string, Json>>>;
  /** Names of fields that a model or a statement requires to be unique, alone or in combination. */
  readonly uniques: ReadonlySet<string>;
  /** Names of its result; null where they are not certain. */
  readonly answers: readonly string[] | null;
  /** Whether the value at this dotted path of its result comes from a secret column. */
  readonly isSecret: (path: string) => boolean;
  readonly timing: Timing;
}

/** When an actionable does its work. */
export interface Timing {
  /** Triggered by the scheduler, not by a request. */
  readonly scheduled: boolean;
  /** Accepted by the request and run after the response. */
  readonly later: boolean;
  /** The actionable itself is deferred, not only its resource. */
  readonly own: boolean;
}

export interface Items {
  readonly most: number;
  readonly limit: readonly string[] | null;
}

/**
 * What a place issues for guards, as written in definitions. `marks` is interpreted by guards and contains no environment values.
 */
export interface Issued {
  /** Dotted paths of the claims that the definition names. */
  readonly claims: readonly string[];
  /** Claims that are always present. */
  readonly standard: readonly string[];
  readonly marks: JsonObject;
}

export interface PluginSpec {
  readonly kind: string;
  /** The name that definitions write; unique within the kind. */
  readonly name: string;
  readonly since: string;
  readonly status?: 'stable' | 'experimental' | 'deprecated';
  readonly deprecated?: { readonly since: string; readonly message: string; readonly replacedBy?: string };
  readonly summary: string;
  /** Markdown below the summary in editors and reference pages. */
  readonly details?: string;
  readonly facts?: Readonly<Record<string, FactValue>>;
  /** Schema of the plugin's place, when its kind has one slot. */
  readonly schema?: SchemaLike;
  /** Schemas by slot name, for a kind with several slots. */
  readonly slots?: Readonly<Record<string, SchemaLike>>;
  /** Pure, synchronous check of rules beyond the schema; called only for values that match it. */
  readonly check?: (place: CheckPlace) => readonly Finding[];
  /**
   * For guards: a key of the admitted callers, without environment values. Places with equal keys admit the same callers; by
   * default all places of the plugin do. Called for any shape, never throws.
   */
  readonly guardOf?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => string;
  /**
   * For plugins that identify callers: a key of the uid namespace, equal for guards that admit the same callers, without
   * environment values. `reached`: callers can be addressed by uid. Called for any shape, never throws.
   */
  readonly realmOf?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    readonly realm: string;
    readonly reached: boolean;
  };
  /** For features that issue credentials: what this place issues, or null. Called for any shape, never throws. */
  readonly issues?: (place: Pick<CheckPlace, 'value' | 'holder'>) => Issued | null;
  /**
   * For plugins that identify callers: whether it accepts those credentials; null where the environment decides. Never throws.
   */
  readonly accepts?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>, issued: Issued) => boolean | null;
  /**
   * For features: the key of the tokens that this place issues and of those it accepts, without environment values; null:
   * none, or foreign tokens. `at`: where the key is written. Called for any shape, never throws.
   */
  readonly tokensOf?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    /** Only tokens of the same kind can be confused with one another. */
    readonly sort: string;
    readonly gives: string | null;
    readonly takes: string | null;
    readonly at: string;
  };
  /**
   * For features: when the work of this place runs, if it is not in the foreground. Called for any shape, never throws.
   * `later`: accepted by the request and run after the response. `scheduled`: triggered by the scheduler.
   */
  readonly timing?: (place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>) => 'later' | 'scheduled' | null;
  /**
   * For features: the effect on the transaction of the resource. Called for any shape, never throws. `alone`: no actionables of
   * the resource share one. `apart`: this actionable shares none. `demanding`: without a result the request ends.
   */
  readonly standing?: (place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>) => 'alone' | 'apart' | 'demanding' | null;
  /**
   * For queries, parts of them and modes that return a list: names of the rows; null where uncertain. Called for valid places
   * only.
   */
  readonly answers?: (place: Pick<CheckPlace, 'value' | 'holder'>) => readonly string[] | null;
  /**
   * For modes that return a list: the maximum number of items, and the path of the field of the actionable that sets it, if one
   * does. Called for valid places only.
   */
  readonly items?: (place: Pick<CheckPlace, 'value' | 'holder'>) => Items;
  /** OpenAPI facts of one use of this plugin. Pure; called for valid places only. */
  readonly openapi?: (place: ApiPlace) => ApiPart;
  /** Ids or patterns (`generator:*`) of plugins whose handles this plugin may resolve. */
  readonly requires?: readonly string[];
  /** Ids or patterns of plugins whose handles it uses when they are loaded anyway; they are not loaded for it. */
  readonly seeks?: readonly string[];
  readonly errors?: Readonly<Record<string, CodeEntry>>;
  /** Common wrong names for what this plugin does in another way. */
  readonly invented?: readonly Invented[];
  /** Names in other systems, case-insensitive, for suggestions. */
  readonly aliases?: readonly string[];
  readonly examples: readonly Example[];
  readonly counterExamples: readonly CounterExample[];
}

export function definePlugin<const S extends PluginSpec>(spec: S): S {
  return Object.freeze(spec);
}

/** `kind:Name`, the id of a plugin everywhere outside definitions. */
export type PluginId = string;
export const pluginId = (spec: { readonly kind: string; readonly name: string }): PluginId =>
  `${spec.kind}:${spec.name}`;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** False when the level is disabled; absent: all levels are enabled. */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}

export interface RuntimeContext {
  readonly id: PluginId;
  /** Instance name of a configured plugin (`main`); the plugin's own name otherwise. */
  readonly instance: string;
  /** Options from the config file, with `$ENV` resolved. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly log: Log;
  /** Aborted when the kernel closes. */
  readonly signal: Signal;
  /** Reads an environment variable from a snapshot. */
  readonly env: (name: string) => string | undefined;
  /** The base of relative paths in the config. */
  readonly folder: string;
  /** The config of outbound calls; absent only in handmade contexts. */
  readonly outbound?: Outbound;
  /** Kernel services for plugins that bring work, usable once the kernel is ready. Absent only in handmade contexts. */
  readonly running?: Running;
  /** Returns the handle of another plugin (or configured instance) that the spec's `requires` names. */
  readonly resolve: <H>(kind: Kind<H>, name: string) => H;
  /** Returns the handle of a plugin in the spec's `seeks`, or null when it is not in use. Absent only in handmade contexts. */
  readonly find?: <H>(kind: Kind<H>, name: string) => H | null;
}

export interface Health {
  readonly ok: boolean;
  /** Unhealthy, but requests do not need it: the process remains ready. */
  readonly optional?: true;
  readonly detail?: string;
}

/** The implementation of a plugin. Only `create` is mandatory, for kinds with handle methods. */
export interface PluginRuntime<H = unknown> {
  /** Taps hooks; synchronous and cheap, no I/O. */
  register?(hooks: Registrar, context: RuntimeContext): void;
  /** Creates the handle of this plugin, or of one configured instance of it; no I/O yet. */
  create?(context: RuntimeContext): H;
  /**
   * Connects within the configured deadline. A retryable Fault means that the server is unavailable, and a serving process
   * retries until it is available. Any other error ends the start.
   */
  open?(handle: H, context: RuntimeContext): Promise<void>;
  /** Synchronizes the store's schema with the models, before plans that use them are served. */
  adopt?(
    handle: H,
    tables: readonly ModelTable[],
    context: RuntimeContext,
    progress?: MigrationProgress,
    how?: MigrationHow,
  ): Promise<void>;
  /** What `adopt` would change now; reads only. */
  plan?(
    handle: H,
    tables: readonly ModelTable[],
    context: RuntimeContext,
    how?: MigrationHow,
  ): Promise<MigrationOutline>;
  /** For stores without a server: creates an empty store that checks statements of stores with the same syntax. */
  scratch?(): Promise<Scratch>;
  /** Checks statements in the open store without running them; null for one that is valid, or where it is not certain. */
  ask?(
    handle: H,
    questions: readonly Question[],
    tables: readonly ModelTable[],
    context: RuntimeContext,
  ): Promise<readonly (Refusal | null)[]>;
  /**
   * Starts work that no request triggers. Called once the kernel is ready, or, for a plugin first used by a reload, once its
   * plans are served. Never called in a process that only checks, migrates or manages jobs.
   */
  serve?(handle: H, context: RuntimeContext): Promise<void>;
  /** Shutdown has begun: accepts no new work and resolves when current work is finished. `close` follows. */
  drain?(handle: H): Promise<void>;
  /** The time for `drain` is over: releases the claims on unfinished work, so that other processes can take it. */
  abandon?(handle: H): Promise<void>;
  /** The persistent local data of this instance, if any. Called without a handle and without `open`. */
  keeps?(context: Pick<RuntimeContext, 'instance' | 'options' | 'folder'>): Kept | KeptElsewhere | null;
  /** Job administration for operators. */
  desk?(handle: H): JobDesk;
  /** Idempotent; called in reverse order of `open`. */
  close?(handle: H): Promise<void>;
  health?(handle: H): Promise<Health>;
}

/** Declares the runtime of a plugin of `kind`; the compiler checks the handle against the kind. */
export function defineRuntime<H>(_kind: Kind<H>, runtime: PluginRuntime<H>): PluginRuntime<H> {
  return Object.freeze(runtime);
}
