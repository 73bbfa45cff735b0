/** A plugin: the spec describes it, the runtime implements it. A spec never imports its runtime. */
import type { BodyInput, ReadBody } from './body-format.js';
import type { ConsolePane } from './console.js';
import type { PluginSpec } from './plugin-spec.js';
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
import type { FoundTables } from './found-tables.js';
import type { ModelTable } from './model.js';
import type { Outbound } from './outbound.js';
import type { JobAdmin, RuntimeServices } from './deferred.js';
import type { StoredFolder, RemoteStorage } from './local-data.js';
import type { RowSource } from './row-source.js';
import type { Signal } from './plan.js';
import type { TestDatabase, TestRequest, TestStore } from './tests.js';
import type { QueryQuestion, QueryResults, Scratch } from './statement-check.js';
import type { StatementQuestion, StatementResults } from './statement-check.js';

export type { FactValue, PluginFacts } from './facts.js';
export type { CheckAction, CheckPlace, Finding, FindingEdit, Items, Timing } from './plugin-check.js';

export type { CredentialMismatch, EnvFact, IssuedCredentials, VariableFacts } from './credentials.js';

/** Bundles leave them out. */
const LEFT_OUT = { summary: '', examples: [], counterExamples: [] };

export function definePlugin<const S extends PluginSpec>(spec: S): S {
  return Object.freeze({ ...LEFT_OUT, ...spec });
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
  /** True in `lintel test`: a test can sign what only a sender outside can. */
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
   * Connects within the deadline. After a retryable Fault (the server is unavailable), a serving process retries. Any
   * other error ends the start.
   */
  open?(handle: H, context: RuntimeContext): Promise<void>;
  /**
   * Synchronizes the schema with the models before plans are served. True: the store now needs other plans, because
   * it behaves otherwise than when it was opened.
   */
  syncSchema?(
    handle: H,
    tables: readonly ModelTable[],
    context: RuntimeContext,
    progress?: MigrationProgress,
    how?: MigrationOptions,
  ): Promise<boolean | void>;
  /** Of rows that have none. Other processes may serve meanwhile; a later call goes on. */
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
  /** For formats of bodies; `request` is Node's object. Called without a handle and without `open`. */
  readBody?(request: object, input: BodyInput): Promise<ReadBody>;
  /** Removes files of ended processes. Called as `readBody`, at start, if a definition accepts files. */
  removeLeftovers?(): Promise<void>;
  /** For query languages without text: has the open stores check queries without running them. */
  checkQueries?(handle: H, queries: readonly QueryQuestion[], tables: readonly ModelTable[]): Promise<QueryResults>;
  /**
   * Starts work that no request triggers, once the kernel is ready or reloaded. Never called in a process that only
   * checks, migrates or manages jobs.
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
  /** What the console shows of this instance; null where there is nothing. */
  createConsolePane?(handle: H, context: Pick<RuntimeContext, 'instance'>): ConsolePane | null;
  /** For stores: rows that the console shows and changes. */
  createRowSource?(handle: H): RowSource;
  /** For what starts schedules: starts a run now, as at its instant. False: a run is active. Null: it has no such schedule. */
  startSchedule?(handle: H, key: string): Promise<boolean | null>;
  /** For stores of `lintel test`. A case fails if a store of its resources has none. */
  openTestStore?(handle: H, context: RuntimeContext): TestStore;
  /** For databases with servers: creates one called `name` next to the configured one. Called without a handle and `open`. */
  createTestDatabase?(context: Pick<RuntimeContext, 'instance' | 'options'>, name: string): Promise<TestDatabase>;
  /** The tables as models, and the changes of a migration to `models`. Reads only. Called as above. */
  readTables?(
    context: Pick<RuntimeContext, 'instance' | 'options'>,
    models: readonly ModelTable[],
  ): Promise<FoundTables>;
  /** For guards: headers that admit a request of `lintel test`; null where none do. */
  createCredentials?(
    handle: H,
    request: TestRequest,
    context: RuntimeContext,
  ): Promise<Readonly<Record<string, string>> | null>;
  /** Idempotent; called in reverse order of `open`. */
  close?(handle: H): Promise<void>;
  health?(handle: H): Promise<Health>;
}

/** `Own`: the handle with what `open`, `close` and `health` need. */
export function defineRuntime<H, Own extends H = H>(_kind: Kind<H>, runtime: PluginRuntime<Own>): PluginRuntime<H> {
  return Object.freeze(runtime);
}
