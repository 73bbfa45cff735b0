/**
 * A kind declares where its plugins may appear, how definitions select one, and the methods of handles. Kinds are
 * data.
 */
import type { Json, JsonObject } from './json.js';
import type { CommonMistakes } from './common-mistakes.js';
import type { PluginSpec, SchemaLike } from './plugin-spec.js';

export type Select =
  /** No selection: the object has the fields of every plugin. */
  | { readonly by: 'always' }
  /** A sibling field names the plugin. */
  | { readonly by: 'field'; readonly field: string }
  /** A key of the object names the plugin; `one` requires exactly one such key. */
  | { readonly by: 'key'; readonly pick: 'one' | 'many' }
  /** A string names the plugin (a field marked with `plugin: <kind>`). */
  | { readonly by: 'name' }
  /** The upper-case word after a dollar sign, inside strings. */
  | { readonly by: 'root' };

/** The config section that selects plugins of this kind. */
export interface ConfigSection {
  readonly field: string;
  readonly doc: string;
  /** Other common names, for suggestions. */
  readonly aliases?: readonly string[];
  /** `true`: a map from instance name to options. `false`: one plugin, as a string or `{ "use": ... }`. */
  readonly many: boolean;
  /** Mandatory instance of the section. */
  readonly must?: string;
  /** `when-required`: if a plugin in use has the kind in `requires`. */
  readonly load: 'always' | 'when-required';
  /** For a config without the section. */
  readonly default: (given: ConfigContext) => Json;
  /** What `lintel test` uses instead: a store in this process, or null for nothing. */
  readonly tested?: (JsonObject & { readonly use: string }) | null;
  /** `references`: the store enforces that referenced rows exist. */
  readonly models?: {
    readonly references: boolean;
    /** The id field that the store adds to every record. */
    readonly key?: string;
    /** The option with the name of the primary, which makes an instance its read replica. */
    readonly primary?: string;
  };
  /** With `many`: configured instances are added to the defaults. */
  readonly keeps?: boolean;
}

export interface ConfigContext {
  readonly has: (name: string) => boolean;
  readonly profile: string | null;
  readonly written: (field: string) => boolean;
  /** True in `lintel dev`. */
  readonly dev: boolean;
}

/** The valid config, with its defaults. */
export type ConfigSections = Readonly<Record<string, unknown>>;

export interface FactSpec {
  readonly doc: string;
  readonly type: 'string' | 'number' | 'boolean' | 'list';
  readonly required: boolean;
  readonly oneOf?: readonly string[];
}

/** A file around a fragment, so that examples can be checked. */
export interface Host {
  readonly file: 'resource' | 'model' | 'config' | 'test';
  readonly json: JsonObject;
  /** JSON pointer to the fragment inside `json`. */
  readonly at: string;
}

export interface Kind<H = unknown> {
  readonly kind: string;
  readonly title: string;
  readonly summary: string;
  readonly slots: readonly string[];
  readonly select: Select;
  /** Fields of all plugins of the kind. */
  readonly common?: SchemaLike;
  readonly facts: Readonly<Record<string, FactSpec>>;
  /** Names without a plugin yet, and its fields by slot. A registered plugin overrides its entry. */
  readonly expected?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** By slot or by the name of an expected plugin. */
  readonly mistaken?: Readonly<Record<string, CommonMistakes>>;
  /** Absent: definitions select the plugin. */
  readonly config?: ConfigSection;
  /** For kinds that nothing selects: the options of the plugin, or null where the config does not enable it. */
  readonly enable?: (config: ConfigSections, plugin: PluginSpec) => Readonly<Record<string, unknown>> | null;
  readonly handle: readonly (keyof H & string)[];
  /** Wraps an example of a plugin in a complete file. */
  readonly host: (fragment: Json, plugin: PluginSpec) => Host;
}

/** The type parameter is the handle. */
export function defineKind<H>(kind: Kind<H>): Kind<H> {
  return Object.freeze(kind);
}
