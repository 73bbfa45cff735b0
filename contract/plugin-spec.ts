/** The description of a plugin: pure data and pure functions. */
import type { Json } from './json.js';
import type { PluginFacts } from './facts.js';
import type { CheckPlace, Finding, Items } from './plugin-check.js';
import type { IssuedCredentials, CredentialMismatch } from './credentials.js';
import type { ApiPlace, ApiPart } from './api.js';
import type { QueryLanguage } from './query-language.js';
import type { CodeEntry } from './problem.js';
import type { InventedPattern } from './common-mistakes.js';

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
  readonly facts?: PluginFacts;
  /** For a kind with one slot. */
  readonly schema?: SchemaLike;
  /** For a kind with several slots. */
  readonly slots?: Readonly<Record<string, SchemaLike>>;
  /** Pure, synchronous check of rules beyond the schema; called for valid shapes only. */
  readonly check?: (place: CheckPlace) => readonly Finding[];
  /**
   * For guards: a key of the admitted callers, by default equal for all places of the plugin. Called for any shape,
   * never throws.
   */
  readonly getCallerKey?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => string;
  /**
   * A key of the uid namespace, without environment values. `reached`: callers can be addressed by uid. Called for
   * any shape, never throws.
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
   * What a guard demands beyond the key, and what the credentials have instead; null where they have another key or
   * origin, or the environment decides. Never throws.
   */
  readonly findMismatch?: (
    place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>,
    issued: IssuedCredentials,
  ) => CredentialMismatch | null;
  /**
   * For features: keys of the tokens that this place issues and accepts; null for foreign tokens. `at`: where the key
   * is written. Never throws.
   */
  readonly getTokenKeys?: (place: Pick<CheckPlace, 'value' | 'holder' | 'facts'>) => {
    /** Tokens of different kinds cannot be confused. */
    readonly sort: string;
    readonly gives: string | null;
    readonly takes: string | null;
    readonly at: string;
  };
  /**
   * For features: when the work runs. `later`: after the response. `scheduled`: by the scheduler. Null: in the
   * foreground. Never throws.
   */
  readonly timing?: (place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>) => 'later' | 'scheduled' | null;
  /**
   * For features. `alone`: the resource shares no transaction. `apart`: this actionable shares none. `demanding`:
   * without a result the request ends. Never throws.
   */
  readonly transactionEffect?: (
    place: Pick<CheckPlace, 'value' | 'holder' | 'slot'>,
  ) => 'alone' | 'apart' | 'demanding' | null;
  /** Names of a query's or list's rows; null where uncertain. Called for valid places only. */
  readonly answers?: (place: Pick<CheckPlace, 'value' | 'holder'>) => readonly string[] | null;
  /** The maximum number of items, and the path of the field that sets it. Called for valid places only. */
  readonly items?: (place: Pick<CheckPlace, 'value' | 'holder'>) => Items;
  /** For query languages that are written as text; its functions accept any text and never throw. */
  readonly language?: QueryLanguage;
  /** Pure; called for valid places only. */
  readonly openapi?: (place: ApiPlace) => ApiPart;
  /** Ids or patterns (`generator:*`) of plugins that this plugin may resolve. */
  readonly requires?: readonly string[];
  /** Packages that an installation of Lintel does not bring: a project installs them. */
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
