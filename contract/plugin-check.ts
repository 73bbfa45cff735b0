/** What a plugin's check receives and returns. */
import type { VariableFacts } from './credentials.js';
import type { PluginFacts } from './facts.js';
import type { Json } from './json.js';
import type { Outbound } from './outbound.js';
import type { Params } from './problem.js';

/** A result of a plugin's check. */
export interface Finding {
  readonly code: string;
  /** JSON pointer relative to the plugin's value. */
  readonly at: string;
  /** Locates the member's name, not its value. */
  readonly key?: true;
  /** Narrows the location to characters `[start, end)` of the decoded string. */
  readonly span?: readonly [number, number];
  readonly params?: Params;
  /** Replacement text for the location, or edits. */
  readonly fix?: {
    readonly title: string;
    readonly text?: string;
    readonly edits?: readonly FindingEdit[];
    /** Applies the edits to this field of a model that the actionable uses, with relative pointers. */
    readonly modelField?: string;
    /** A guess or a placeholder, which needs review. */
    readonly asks?: true;
  };
}

/** `at`: JSON pointer relative to the plugin's value. */
export type FindingEdit =
  /** `text` is in JSON notation; `span` counts characters of the decoded string. */
  | { readonly at: string; readonly span: readonly [number, number]; readonly text: string }
  | { readonly at: string; readonly remove: true }
  | { readonly at: string; readonly value: Json }
  /** Appends items; creates a missing list. */
  | { readonly at: string; readonly add: readonly Json[] }
  /** Adds a missing member. */
  | { readonly at: string; readonly put: Json }
  /** Wraps the value in an object, as the member of this name. */
  | { readonly at: string; readonly within: string };

/** The input of a plugin's check. */
export interface CheckPlace {
  readonly slot: string;
  /** The plugin's own fields as written. */
  readonly value: Readonly<Record<string, Json>>;
  /** The complete object in the slot. */
  readonly holder: Readonly<Record<string, Json>>;
  /** The complete definition or config. */
  readonly root: Readonly<Record<string, Json>>;
  /** Undefined for an unknown plugin. */
  readonly facts: (kind: string, name: string) => PluginFacts | undefined;
  /** Null when the variable is not set or the environment is unknown. */
  readonly env: (name: string) => VariableFacts | null;
  /** False only in a known environment without the variable. */
  readonly isSet: (name: string) => boolean;
  /** The config enables features for tests. */
  readonly testing: boolean;
  /** Null: the native format. */
  readonly profile: string | null;
  /** Empty for models and the config. */
  readonly actions: readonly CheckAction[];
  /** Path parameters that the work reads. */
  readonly inPath: readonly string[];
  /** Null where no config is known. */
  readonly outbound: Outbound | null;
  /** Whether the config enables persistent connections; null where no config is known. */
  readonly connections: boolean | null;
  /** The candidate that most resembles the name. */
  readonly nearest: (name: string, candidates: Iterable<string>) => string | undefined;
  /** Names that responses omit by default. */
  readonly secrets: ReadonlySet<string>;
  /** Whether the value at this dotted path is a secret of a result, or contains one under another name. */
  readonly isSecretName: (path: string) => boolean;
}

export interface CheckAction {
  readonly index: number;
  readonly noOp: boolean;
  readonly main: boolean;
  /** Models of the tables that its statements use. */
  readonly models: readonly string[];
  /** Field names of these models, and timestamps that queries add. */
  readonly names: readonly string[];
  /** By lower-case name, without fields that two models define differently. */
  readonly fields: ReadonlyMap<string, Readonly<Record<string, Json>>>;
  /** The same of the model of this table or collection; null if it is none of `models`. */
  readonly fieldsOf: (table: string) => (Pick<CheckAction, 'names' | 'fields'> & { readonly model: string }) | null;
  /** Fields that a model or statement requires to be unique, alone or in combination. */
  readonly uniques: ReadonlySet<string>;
  /** Names of its result; null where uncertain. */
  readonly answers: readonly string[] | null;
  /** Whether the value at this dotted path of its result comes from a secret column. */
  readonly isSecret: (path: string) => boolean;
  /** Secrets that it puts into its result under names that responses do not omit. */
  readonly openSecrets: readonly OpenSecret[];
  /** Its values that are secrets of a result, also of other resources. */
  readonly secretReads: readonly SecretRead[];
  readonly timing: Timing;
}

export interface OpenSecret {
  /** JSON pointer, relative to the actionable, of the string that reads it. */
  readonly at: string;
  /** Its name in the result that it comes from. */
  readonly name: string;
  /** Dotted path in the result, without indexes. */
  readonly path: string;
}

export interface SecretRead {
  /** JSON pointer, relative to the actionable, of the string that reads it. */
  readonly at: string;
  /** Its name in the result that it comes from. */
  readonly name: string;
  /** The first segment of the name that is read. */
  readonly root: string;
}

export interface Timing {
  readonly scheduled: boolean;
  /** Runs after the response. */
  readonly later: boolean;
  /** The actionable itself is deferred, not only its resource. */
  readonly own: boolean;
}

export interface Items {
  readonly most: number;
  readonly limit: readonly string[] | null;
}
