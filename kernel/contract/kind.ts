/**
 * A kind declares where its plugins may appear, how definitions select one, and which methods their handles have.
 * Kinds are data: the kernel names none of them.
 */
import type { Json, JsonObject } from './json.js';
import type { Mistaken } from './mistaken.js';
import type { PluginSpec, SchemaLike } from './plugin.js';

/** How a definition selects a plugin in a slot. */
export type Select =
  /** No selection: the object in the slot has the fields of every plugin. */
  | { readonly by: 'always' }
  /** The value of a sibling field names the plugin; the plugin's fields are in the same object. */
  | { readonly by: 'field'; readonly field: string }
  /** A key of the object in the slot names the plugin; `pick: 'one'` requires exactly one such key. */
  | { readonly by: 'key'; readonly pick: 'one' | 'many' }
  /** A string of the definition is the name (a field marked with `plugin: <kind>`). */
  | { readonly by: 'name' }
  /** The upper-case word after a dollar sign, inside strings. */
  | { readonly by: 'root' };

/** The config section that selects plugins of this kind and holds their options. */
export interface ConfigSection {
  readonly field: string;
  readonly doc: string;
  /** Common other names of the section, for suggestions. */
  readonly aliases?: readonly string[];
  /** `true`: a map from instance name to options. `false`: one plugin, named by a string or by `{ "use": ... }`. */
  readonly many: boolean;
  /** The instance name that is mandatory when the section is present. */
  readonly must?: string;
  /** `when-required`: load an instance only when a plugin in use names its kind in `requires`. */
  readonly load: 'always' | 'when-required';
  /** The value when the config file omits the section. */
  readonly default: (given: ConfigGiven) => Json;
  /** The instances store models. `references`: they enforce that referenced rows exist. */
  readonly models?: {
    readonly references: boolean;
    /** The id field that the store adds to every record, even when a model does not declare it. */
    readonly key?: string;
  };
  /** With `many`: defaults remain next to configured instances, except those with the same name. */
  readonly keeps?: boolean;
}

/** The inputs of a default. */
export interface ConfigGiven {
  /** Whether an environment variable is set. */
  readonly has: (name: string) => boolean;
  readonly profile: string | null;
  /** Whether the config file has this section. */
  readonly written: (field: string) => boolean;
  /** True in `lintel dev`. */
  readonly dev: boolean;
}

export interface FactSpec {
  readonly doc: string;
  readonly type: 'string' | 'number' | 'boolean' | 'list';
  readonly required: boolean;
  readonly oneOf?: readonly string[];
}

/** A complete definition or config file around a fragment, so that examples can be checked and displayed. */
export interface Host {
  readonly file: 'resource' | 'model' | 'config';
  readonly json: JsonObject;
  /** JSON pointer to the fragment inside `json`. */
  readonly at: string;
}

export interface Kind<H = unknown> {
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  /** Slots that accept plugins of this kind. */
  readonly slots: readonly string[];
  readonly select: Select;
  /** Fields that every plugin of the kind accepts, in addition to its own. */
  readonly common?: SchemaLike;
  readonly facts: Readonly<Record<string, FactSpec>>;
  /**
   * Names of the interface without a plugin yet, and the fields of such a plugin, by slot. An entry is ignored once a
   * plugin of that name is registered.
   */
  readonly expected?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Common wrong keys and their corrections, by slot, or inside the field of an expected plugin, by its name. */
  readonly mistaken?: Readonly<Record<string, Mistaken>>;
  /** Absent: definitions select the plugin. */
  readonly config?: ConfigSection;
  /** Methods that every handle of the kind must have. */
  readonly handle: readonly (keyof H & string)[];
  /** Wraps a fragment (an example) of a plugin in a complete file. */
  readonly host: (fragment: Json, plugin: PluginSpec) => Host;
}

/** Declares a kind; the type parameter is the handle that runtimes of the kind return. */
export function defineKind<H>(kind: Kind<H>): Kind<H> {
  return Object.freeze(kind);
}
