/**
 * The halves of a plugin: the spec describes it, the runtime implements
 * it. A spec never imports its runtime, not even dynamically.
 */
import type { BodyInput, ReadBody } from './body-format.js';
import type { Json } from './json.js';
import type { ApiPart, ApiPlace } from './api.js';
import type { CodeEntry } from './problem.js';
import type { Kind } from './kind.js';
import type { Registrar } from './hooks.js';
import type {
  BlindIndexSource,
  FilledIndex,
  FillProgress,
  MigrationOptions,
  MigrationOutline,
  MigrationProgress,
} from './migration.js';
import type { InventedPattern } from './common-mistakes.js';
import type { ModelTable } from './model.js';
import type { Outbound } from './outbound.js';
import type { JobAdmin, RuntimeServices } from './deferred.js';
import type { StoredFolder, RemoteStorage } from './local-data.js';
import type { Signal } from './plan.js';
import type { TestDatabase, TestRequest, TestStore } from './tests.js';
import type { QueryQuestion, QueryResults, Scratch } from './statement-check.js';
import type { StatementQuestion, StatementResults } from './statement-check.js';
import type { CredentialMismatch, IssuedCredentials } from './credentials.js';
import type { CheckPlace, FactValue, Finding, Items } from './plugin-check.js';

export type { CheckAction, CheckPlace, FactValue, Finding, FindingEdit, Items, Timing } from './plugin-check.js';

export type { CredentialMismatch, EnvFact, IssuedCredentials } from './credentials.js';

/** `language/schema` knows the contents. */
export interface SchemaLike {
  readonly __isYupSchema__: boolean;
}

export interface Example {
  readonly title: string;
  readonly json: Json;
}

export interface CounterExample extends Example {
  /** The expected problem, and the JSON pointer (into `json`) of its location. */
  readonly code: string;
  readonly at: string;
}

export interface PluginSpec {
  readonly kind: string;
  /** As definitions write it; unique within the kind. */
  readonly name: string;
  readonly since: string;
  readonly status?: 'stable' | 'experimental' | 'deprecated';
  readonly deprecated?: { readonly since: string; readonly message: string; readonly replacedBy?: string };
  readonly summary: string;
  /** Markdown for editors and reference pages. */
  readonly details?: string;
  readonly facts?: Readonly<Record<string, FactValue>>;
  /** For a kind with one slot. */
  readonly schema?: SchemaLike;
  /** For a kind with several slots. */
  readonly slots?: Readonly<Record<string, SchemaLike>>;
  /** Pure, synchronous check of rules beyond the schema; called for valid shapes only. */
  readonly check?: (place: CheckPlace) => readonly Finding[];
  /**
   * For guards: a key of the admitted callers, without environment values; by default equal for all places of the plugin.
   * Called for any shape, never throws.
   */
  readonly getCallerKey?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => string;
  /**
   * For plugins that identify callers: a key of the uid namespace, without environment
   * values. `reached`: callers can be addressed by uid. Called for any shape, never throws.
   */
  readonly getRealm?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    readonly realm: string;
    readonly reached: boolean;
  };
  /** For features that issue credentials. Called for any shape, never throws. */
  readonly issues?: (place: Pick<CheckPlace, 'value' | 'holder'>) => IssuedCredentials | null;
  /** Whether a guard accepts those credentials; null where the environment decides. Never throws. */
  readonly accepts?: (
    place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>,
    issued: IssuedCredentials,
  ) => boolean | null;
  /**
   * What a guard demands of such credentials beyond their key, and what they have instead; null where they are not made with its
   * key, come from elsewhere, or the environment decides. Called for any shape, never throws.
   */
  readonly findMismatch?: (
    place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>,
    issued: IssuedCredentials,
  ) => CredentialMismatch | null;
  /**
   * For features: keys of the tokens that this place issues and accepts, without environment values; null for foreign tokens.
   * `at`: where the key is written. Called for any shape, never throws.
   */
  readonly getTokenKeys?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    /** Tokens of different kinds cannot be confused. */
    readonly sort: string;
    readonly gives: string | null;
    readonly takes: string | null;
    readonly at: string;
  };
  /**
   * For features: when the work runs, if not in the foreground. Called for any shape, never throws. `later`: after the response.
   * `scheduled`: triggered by the scheduler.
   */
  readonly timing?: (place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>) => 'later' | 'scheduled' | null;
  /**
   * For features: the effect on transactions. Called for any shape, never throws. `alone`: the resource
   * shares none. `apart`: this actionable shares none. `demanding`: without a result the request ends.
   */
  readonly transactionEffect?: (
    place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>,
  ) => 'alone' | 'apart' | 'demanding' | null;
  /** Names of a query's or list's rows; null where uncertain. Called for valid places only. */
  readonly answers?: (place: Pick<CheckPlace, 'value' | 'holder'>) => readonly string[] | null;
  /** The maximum number of a list's items, and the path of the field that sets it. Called for valid places only. */
  readonly items?: (place: Pick<CheckPlace, 'value' | 'holder'>) => Items;
  /** Pure; called for valid places only. */
  readonly openapi?: (place: ApiPlace) => ApiPart;
  /** Ids or patterns (`generator:*`) of plugins that this plugin may resolve. */
  readonly requires?: readonly string[];
  /** Packages that the runtime imports and that an installation of Lintel does not bring: a project that uses it installs them. */
  readonly packages?: readonly string[];
  /** Ids or patterns of plugins that it uses if they are loaded anyway. */
  readonly seeks?: readonly string[];
  readonly errors?: Readonly<Record<string, CodeEntry>>;
  /** Common wrong names for this plugin's function. */
  readonly invented?: readonly InventedPattern[];
  /** Names in other systems, case-insensitive, for suggestions. */
  readonly aliases?: readonly string[];
  readonly examples: readonly Example[];
  readonly counterExamples: readonly CounterExample[];
}

export function definePlugin<const S extends PluginSpec>(spec: S): S {
  return Object.freeze(spec);
}

/** The id of a plugin outside definitions: `kind:Name`. */
export type PluginId = string;
export const pluginId = (spec: { readonly kind: string; readonly name: string }): PluginId =>
  `${spec.kind}:${spec.name}`;

export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** Absent: all levels are enabled. */
  isLevelEnabled?(level: 'debug' | 'info' | 'warn' | 'error'): boolean;
}

export interface RuntimeContext {
  readonly id: PluginId;
  /** Name of a configured instance (`main`); the plugin's own name otherwise. */
  readonly instance: string;
  /** With `$ENV` resolved. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly log: Log;
  /** Aborted when the kernel closes. */
  readonly signal: Signal;
  /** Reads from a snapshot. */
  readonly env: (name: string) => string | undefined;
  /** The base of relative paths in the config. */
  readonly folder: string;
  /** True in `lintel dev`: its log says why a request is rejected. */
  readonly dev?: boolean;
  /** True in `lintel test`: what only a sender outside can sign with is replaced, so that a test can sign. */
  readonly tests?: boolean;
  /** Absent only in handmade contexts. */
  readonly outbound?: Outbound;
  /** Usable once the kernel is ready. Absent only in handmade contexts. */
  readonly running?: RuntimeServices;
  /** Only for plugins (or instances) in the spec's `requires`. */
  readonly resolve: <H>(kind: Kind<H>, name: string) => H;
  /** For plugins in the spec's `seeks`; null when not in use. Absent only in handmade contexts. */
  readonly find?: <H>(kind: Kind<H>, name: string) => H | null;
}

export interface Health {
  readonly ok: boolean;
  /** Requests do not need it, so the process remains ready. */
  readonly optional?: true;
  readonly detail?: string;
}

/** The implementation of a plugin. `create` is mandatory for kinds with handle methods. */
export interface PluginRuntime<H = unknown> {
  /** Synchronous, no I/O. `handle` returns what `create` makes, also while nothing else has used it. */
  register?(hooks: Registrar, context: RuntimeContext, handle: () => H): void;
  /** Creates the handle without I/O. */
  create?(context: RuntimeContext): H;
  /**
   * Connects within the deadline. A retryable Fault means that the server is
   * unavailable: a serving process retries. Any other error ends the start.
   */
  open?(handle: H, context: RuntimeContext): Promise<void>;
  /**
   * Synchronizes the store's schema with the models, before plans that use them are served. True: the store now needs other plans,
   * because what was made behaves otherwise than what was there when it was opened.
   */
  syncSchema?(
    handle: H,
    tables: readonly ModelTable[],
    context: RuntimeContext,
    progress?: MigrationProgress,
    how?: MigrationOptions,
  ): Promise<boolean | void>;
  /** Fills the blind indexes of rows that have none. Other processes may serve meanwhile; a later call goes on. */
  fillIndexes?(
    handle: H,
    tables: readonly ModelTable[],
    context: RuntimeContext,
    sources: readonly BlindIndexSource[],
    progress?: FillProgress,
  ): Promise<readonly FilledIndex[]>;
  /** The changes of `syncSchema`; reads only. */
  plan?(
    handle: H,
    tables: readonly ModelTable[],
    context: RuntimeContext,
    how?: MigrationOptions,
  ): Promise<MigrationOutline>;
  /** For stores without a server: an empty store that checks statements of the same syntax. */
  scratch?(): Promise<Scratch>;
  /** Checks statements without running them; null for a valid or uncertain one. */
  checkStatements?(
    handle: H,
    questions: readonly StatementQuestion[],
    tables: readonly ModelTable[],
    context: RuntimeContext,
  ): Promise<StatementResults>;
  /** For stores with views and functions: statements that create those that the store has. Reads only. */
  readObjects?(handle: H, context: RuntimeContext): Promise<readonly string[]>;
  /** For formats of bodies; `request` is Node's object. Called without a handle and without `open`, once such a body arrives. */
  readBody?(request: object, input: BodyInput): Promise<ReadBody>;
  /** Removes files that ended processes have left. Called as `readBody`, at start, if a definition accepts files. */
  removeLeftovers?(): Promise<void>;
  /** For query languages without text: has the open stores check queries without running them. */
  checkQueries?(handle: H, asked: readonly QueryQuestion[], tables: readonly ModelTable[]): Promise<QueryResults>;
  /**
   * Starts work that no request triggers, once the kernel is ready or a reload's plans are served. Never called in a process that
   * only checks, migrates or manages jobs.
   */
  serve?(handle: H, context: RuntimeContext): Promise<void>;
  /** Accepts no new work and resolves when current work is finished. `close` follows. */
  drain?(handle: H): Promise<void>;
  /** `drain` timed out: releases the claims on unfinished work, so that other processes can take it. */
  releaseClaims?(handle: H): Promise<void>;
  /** Local data of this instance. Called without a handle and without `open`. */
  describeStorage?(
    context: Pick<RuntimeContext, 'instance' | 'options' | 'folder'>,
  ): StoredFolder | RemoteStorage | null;
  createJobAdmin?(handle: H): JobAdmin;
  /** For stores: what `lintel test` needs. A case fails if a store that its resources use has none. */
  openTestStore?(handle: H, context: RuntimeContext): TestStore;
  /**
   * For databases with servers: creates a database called `name` next to the configured one. Called without a handle and without
   * `open`.
   */
  createTestDatabase?(context: Pick<RuntimeContext, 'instance' | 'options'>, name: string): Promise<TestDatabase>;
  /** For guards: headers with which the resource admits a request of `lintel test`; null where it sends none. */
  createCredentials?(
    handle: H,
    request: TestRequest,
    context: RuntimeContext,
  ): Promise<Readonly<Record<string, string>> | null>;
  /** Idempotent; called in reverse order of `open`. */
  close?(handle: H): Promise<void>;
  health?(handle: H): Promise<Health>;
}

/** The compiler checks the handle against the kind. `Own`: the handle with what `open`, `close` and `health` need. */
export function defineRuntime<H, Own extends H = H>(_kind: Kind<H>, runtime: PluginRuntime<Own>): PluginRuntime<H> {
  return Object.freeze(runtime);
}
