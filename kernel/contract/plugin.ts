/**
 * The two halves of a plugin. The spec says what the plugin is (light: schema, facts, documentation, examples); the
 * runtime does it (heavy: drivers, crypto, sockets). A spec never mentions its runtime, not even in a dynamic import.
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

/** What the contract knows of a schema: that it is one. `kernel/schema` knows the rest. */
export interface SchemaLike {
  readonly __isYupSchema__: boolean;
}

export type FactValue = string | number | boolean | readonly string[];

export interface Example {
  readonly title: string;
  readonly json: Json;
}

export interface CounterExample extends Example {
  /** The problem that must be reported, and the JSON pointer (into `json`) of the place it must name. */
  readonly code: string;
  readonly at: string;
}

/** A finding of a plugin's own check. */
export interface Finding {
  readonly code: string;
  /** JSON pointer relative to the plugin's value; `''` is the value itself. */
  readonly at: string;
  /** The place is the name of the member at `at`, not its value. */
  readonly key?: true;
  /** Narrows the place to characters `[start, end)` of the decoded string at `at`. */
  readonly span?: readonly [number, number];
  readonly params?: Params;
  /** What would mend it: a replacement for the place, or changes of the plugin's fields. */
  readonly fix?: {
    readonly title: string;
    readonly text?: string;
    readonly edits?: readonly FindingEdit[];
    /** The edits are those of this field of a model that the actionable touches, with pointers relative to it. */
    readonly modelField?: string;
    /** Somebody has to look at what is written then: it is a guess, or a value to start from. */
    readonly asks?: true;
  };
}

/** `at`: JSON pointer relative to the plugin's value. */
export type FindingEdit =
  /** Characters `[start, end)` of the decoded string there; `text` as it stands in JSON. */
  | { readonly at: string; readonly span: readonly [number, number]; readonly text: string }
  | { readonly at: string; readonly remove: true }
  /** Another value in the place of the one there. */
  | { readonly at: string; readonly value: Json }
  /** Items at the end of the list there, which is made where it is not. */
  | { readonly at: string; readonly add: readonly Json[] }
  /** A member that is not there yet. */
  | { readonly at: string; readonly put: Json }
  /** The value there becomes the member of this name in an object. */
  | { readonly at: string; readonly within: string };

/** What a plugin's check may look at. */
export interface CheckPlace {
  /** The slot whose object this is. */
  readonly slot: string;
  /** The plugin's own fields as written (only those that are present). */
  readonly value: Readonly<Record<string, Json>>;
  /** The object in the slot, whole. */
  readonly holder: Readonly<Record<string, Json>>;
  /** The definition (or the config) around it, whole. */
  readonly root: Readonly<Record<string, Json>>;
  /** Facts of another plugin, or undefined when there is none of that name. */
  readonly facts: (kind: string, name: string) => Readonly<Record<string, FactValue>> | undefined;
  /** What is known of an environment variable (never its value); null when it is not set or nothing is known. */
  readonly env: (name: string) => EnvFact | null;
  /** False only where the environment is known and has no such variable. */
  readonly isSet: (name: string) => boolean;
  /** The config allows what only tests may do. */
  readonly testing: boolean;
  /** How the definitions of another system are meant; null: they are this one's own. */
  readonly profile: string | null;
  /** The actionables of the resource, in order; empty for models and the config. */
  readonly actions: readonly CheckAction[];
  /** Parameters of the path of the resource that its work reads. */
  readonly inPath: readonly string[];
  /** What the config says of calls that leave; null where no config is known. */
  readonly outbound: Outbound | null;
  /** Clients may stay connected, as far as the config says; null where none is known. */
  readonly connections: boolean | null;
  /** The one of these names that was most likely meant, for messages and fixes. */
  readonly nearest: (name: string, candidates: Iterable<string>) => string | undefined;
  /** Names that never leave unless they are asked for: what is hashed, encrypted or marked secret in a model. */
  readonly secrets: ReadonlySet<string>;
}

/** What a check may know of an environment variable. */
export interface EnvFact {
  /** In characters, and in bytes of UTF-8. */
  readonly length: number;
  readonly bytes: number;
  /** Nothing but white space. */
  readonly blank: boolean;
}

export interface CheckAction {
  /** Index in `actionables`. */
  readonly index: number;
  readonly noOp: boolean;
  readonly main: boolean;
  /** Models whose tables its statements touch. */
  readonly models: readonly string[];
  /** Names of their fields as they are written, and timestamps that queries add. */
  readonly names: readonly string[];
  /** Fields of these models as they are written, by name in lower case; without those about which two models disagree. */
  readonly fields: ReadonlyMap<string, Readonly<Record<string, Json>>>;
  /** Names of fields that a model or a statement demands to be unique, alone or with others. */
  readonly uniques: ReadonlySet<string>;
  /** Names that its result has; null where they are not certain. */
  readonly answers: readonly string[] | null;
  /** Whether its result has a secret at this dotted path, by the column that it is read from. */
  readonly isSecret: (path: string) => boolean;
  /** When its work is done. */
  readonly timing: Timing;
}

/** When an actionable does its work. */
export interface Timing {
  /** Begun by the clock, and by no request. */
  readonly scheduled: boolean;
  /** Accepted by the request, done behind its answer. */
  readonly later: boolean;
  /** ... because the actionable itself says so, and not only its resource. */
  readonly own: boolean;
}

export interface Items {
  readonly most: number;
  readonly limit: readonly string[] | null;
}

/** What a place issues for guards, as definitions write it; `marks` is for guards, and has no value of the environment. */
export interface Issued {
  /** Claims that its definition names; dotted paths. */
  readonly claims: readonly string[];
  /** Claims that it has in any case. */
  readonly standard: readonly string[];
  readonly marks: JsonObject;
}

export interface PluginSpec {
  readonly kind: string;
  /** Unique within the kind; what a definition writes. */
  readonly name: string;
  readonly since: string;
  readonly status?: 'stable' | 'experimental' | 'deprecated';
  readonly deprecated?: { readonly since: string; readonly message: string; readonly replacedBy?: string };
  readonly summary: string;
  /** Markdown; shown below the summary in editors and reference pages. */
  readonly details?: string;
  readonly facts?: Readonly<Record<string, FactValue>>;
  /** What may be written at this plugin's place, when its kind has one slot. */
  readonly schema?: SchemaLike;
  /** The same for a kind with several slots: slot name to schema. */
  readonly slots?: Readonly<Record<string, SchemaLike>>;
  /** Pure, synchronous check of what schemas cannot say; called only when the shape is sound. */
  readonly check?: (place: CheckPlace) => readonly Finding[];
  /**
   * Of a plugin that guards: what it judges callers by, as text without a value of the environment. Places with equal texts
   * admit the same callers; without it all places of the plugin do. Called for any shape, never throws.
   */
  readonly guardOf?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => string;
  /**
   * Of a plugin that identifies: whose callers have uids of their own. Equal for guards that let in the same callers, without a value
   * of the environment; `reached`: callers that this guard lets in may be reached by their uid. Called for any shape, never throws.
   */
  readonly realmOf?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    readonly realm: string;
    readonly reached: boolean;
  };
  /** Of a feature that issues what callers are identified by; null where this place issues nothing. Called for any shape, never throws. */
  readonly issues?: (place: Pick<CheckPlace, 'value' | 'holder'>) => Issued | null;
  /** Of a plugin that identifies: whether it accepts that; null where it depends on the environment. Never throws. */
  readonly accepts?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>, issued: Issued) => boolean | null;
  /**
   * Of a feature: the key of the tokens that its place gives out, and of those that it takes, as text without a value of the
   * environment; null: none, or tokens of another system. `at`: where the key is written. Called for any shape, never throws.
   */
  readonly tokensOf?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    /** Only tokens of one sort can be meant for one another. */
    readonly sort: string;
    readonly gives: string | null;
    readonly takes: string | null;
    readonly at: string;
  };
  /**
   * Of a feature: when the work of its place is done, if not for the answer. Called for any shape, never throws.
   * `later`: accepted by the request, done behind its answer. `scheduled`: begun by the clock, and by no request.
   */
  readonly timing?: (place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>) => 'later' | 'scheduled' | null;
  /**
   * Of a feature: how its place stands in the transaction of its resource. Called for any shape, never throws. `alone`: nothing of
   * the resource shares one. `apart`: this actionable shares none. `demanding`: without a result the request ends.
   */
  readonly standing?: (place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>) => 'alone' | 'apart' | 'demanding' | null;
  /** Of a query, or a part of one, and of a mode that gives a list: names that its rows have; null where they are not certain. Called for sound places only. */
  readonly answers?: (place: Pick<CheckPlace, 'value' | 'holder'>) => readonly string[] | null;
  /**
   * Of a mode that gives a list: how many items there are at most, and the path of the number in the actionable that says so, if one
   * does. Called for sound places only.
   */
  readonly items?: (place: Pick<CheckPlace, 'value' | 'holder'>) => Items;
  /** What callers are told of a place of this plugin, in descriptions of the interface. Pure; asked for sound places only. */
  readonly openapi?: (place: ApiPlace) => ApiPart;
  /** Ids or patterns (`generator:*`) of plugins whose handles this plugin may resolve. */
  readonly requires?: readonly string[];
  /** Ids or patterns of plugins whose handles it takes where they are in use anyway; nothing is loaded for its sake. */
  readonly seeks?: readonly string[];
  readonly errors?: Readonly<Record<string, CodeEntry>>;
  /** Names that people write for what this plugin does in another way. */
  readonly invented?: readonly Invented[];
  /** What other systems call it: offered where somebody writes that. In any case of letters. */
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
  /** False when nobody would read it; absent: everything is read. */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}

export interface RuntimeContext {
  readonly id: PluginId;
  /** Instance name of a configured plugin (`main`); the plugin's own name otherwise. */
  readonly instance: string;
  /** Options from the config file, `$ENV` resolved. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly log: Log;
  /** Aborted when the kernel closes. */
  readonly signal: Signal;
  /** A snapshot of one environment variable. */
  readonly env: (name: string) => string | undefined;
  /** Folder that relative paths in the config refer to. */
  readonly folder: string;
  /** What the config says of calls that leave; absent only in a context made by hand. */
  readonly outbound?: Outbound;
  /** What the kernel does for plugins that bring work; of use once it is ready. Absent only in a context made by hand. */
  readonly running?: Running;
  /** The handle of another plugin (or configured instance) that the spec's `requires` names. */
  readonly resolve: <H>(kind: Kind<H>, name: string) => H;
  /** The handle of one that the spec `seeks`, as long as it is in use; null otherwise. Absent only in a context made by hand. */
  readonly find?: <H>(kind: Kind<H>, name: string) => H | null;
}

export interface Health {
  readonly ok: boolean;
  /** Not well, but requests are served without it: the process stays ready. */
  readonly optional?: true;
  readonly detail?: string;
}

/** The doing half. Everything is optional but `create`, which kinds with handle methods demand. */
export interface PluginRuntime<H = unknown> {
  /** Taps hooks; synchronous and cheap, no I/O. */
  register?(hooks: Registrar, context: RuntimeContext): void;
  /** Makes the handle of this plugin, or of one configured instance of it; no I/O yet. */
  create?(context: RuntimeContext): H;
  /**
   * Connects. Must settle within the configured deadline. A Fault that is `retryable` says that its server is not there yet:
   * then a process that serves asks again until it is. What else it throws is wrong, and ends the start.
   */
  open?(handle: H, context: RuntimeContext): Promise<void>;
  /** Takes over the models that this store is to hold, before plans that use them are served. */
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
  /** Of a store that needs no server: an empty one, on which statements of stores with the same syntax are tried. */
  scratch?(): Promise<Scratch>;
  /** What the open store says to statements that it reads and does not run; null for one that it takes, or about which it is not certain. */
  ask?(
    handle: H,
    questions: readonly Question[],
    tables: readonly ModelTable[],
    context: RuntimeContext,
  ): Promise<readonly (Refusal | null)[]>;
  /**
   * The process serves from now on: begins work that no request asks for. Once the kernel is ready; of a plugin that a reload
   * is the first to use, once its plans are served. Never in a process that only checks, migrates or looks after jobs.
   */
  serve?(handle: H, context: RuntimeContext): Promise<void>;
  /** The end has begun: takes up no new work, and resolves when what was begun is over. `close` follows. */
  drain?(handle: H): Promise<void>;
  /** There is no time left for what was begun: others may have it at once. */
  abandon?(handle: H): Promise<void>;
  /** What this instance keeps, if anything lasts. Called without a handle, and without `open`. */
  keeps?(context: Pick<RuntimeContext, 'instance' | 'options' | 'folder'>): Kept | KeptElsewhere | null;
  /** Where operators look after deferred work. */
  desk?(handle: H): JobDesk;
  /** Idempotent; called in reverse order of `open`. */
  close?(handle: H): Promise<void>;
  health?(handle: H): Promise<Health>;
}

/** Declares the runtime of a plugin of `kind`; the compiler checks the handle against the kind. */
export function defineRuntime<H>(_kind: Kind<H>, runtime: PluginRuntime<H>): PluginRuntime<H> {
  return Object.freeze(runtime);
}
