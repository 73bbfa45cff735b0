/**
 * A kind says where plugins of one sort are written, how a definition selects one of them, and which methods their
 * handles have. Kinds are data: the kernel never names one.
 */
import type { Json, JsonObject } from './json.js';
import type { Mistaken } from './mistaken.js';
import type { PluginSpec, SchemaLike } from './plugin.js';

/** How a definition picks a plugin in the slot of a kind. */
export type Select =
  /** Nobody picks: the fields of every plugin belong to the object in the slot. */
  | { readonly by: 'always' }
  /** The value of a sibling field names the plugin, whose fields stand beside it. */
  | { readonly by: 'field'; readonly field: string }
  /** A key of the object in the slot names the plugin; `pick: 'one'` demands exactly one such key. */
  | { readonly by: 'key'; readonly pick: 'one' | 'many' }
  /** A string of the definition is the name (a field marked with `plugin: <kind>`). */
  | { readonly by: 'name' }
  /** The upper-case word behind a dollar sign, inside strings. */
  | { readonly by: 'root' };

/** The section of the config file in which plugins of this kind are chosen and given their options. */
export interface ConfigSection {
  readonly field: string;
  readonly doc: string;
  /** What people call the section. */
  readonly aliases?: readonly string[];
  /** `true`: a map from instance name to options. `false`: one plugin, named by a string or by `{ "use": ... }`. */
  readonly many: boolean;
  /** An instance that must be there whenever the section is written. */
  readonly must?: string;
  /** `when-required`: an instance is loaded only when a plugin in use names its kind in `requires`. */
  readonly load: 'always' | 'when-required';
  /** What holds when the config file is silent. */
  readonly default: (given: ConfigGiven) => Json;
  /** Instances hold the models; `references`: they see to it that what one model refers to is there. */
  readonly models?: {
    readonly references: boolean;
    /** The field in which every record has an id that the instance makes, also of a model that does not name it. */
    readonly key?: string;
  };
  /** With `many`: what holds by default stays beside what is written, except under the same instance name. */
  readonly keeps?: boolean;
}

/** What a default may depend on. */
export interface ConfigGiven {
  /** Whether an environment variable is set. */
  readonly has: (name: string) => boolean;
  readonly profile: string | null;
  /** Whether the config file has this section. */
  readonly written: (field: string) => boolean;
  /** Somebody is writing the definitions right now (`lintel dev`). */
  readonly dev: boolean;
}

export interface FactSpec {
  readonly doc: string;
  readonly type: 'string' | 'number' | 'boolean' | 'list';
  readonly required: boolean;
  readonly oneOf?: readonly string[];
}

/** A whole definition (or config file) around a fragment, so that examples of this kind can be checked and shown. */
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
  /** Slots in which plugins of this kind may stand. */
  readonly slots: readonly string[];
  readonly select: Select;
  /** Fields that every plugin of the kind accepts, beside its own. */
  readonly common?: SchemaLike;
  readonly facts: Readonly<Record<string, FactSpec>>;
  /**
   * Names of the interface that may have no plugin yet, and the fields that such a plugin would bring, by slot. Once a
   * plugin of that name is registered its entry means nothing.
   */
  readonly expected?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Keys that people invent, by slot (or inside the field of an expected plugin, by its name), and what is right. */
  readonly mistaken?: Readonly<Record<string, Mistaken>>;
  /** Absent: a definition chooses. */
  readonly config?: ConfigSection;
  /** Methods that every handle of the kind must have. */
  readonly handle: readonly (keyof H & string)[];
  /** Puts a fragment (an example) of a plugin into a whole file. */
  readonly host: (fragment: Json, plugin: PluginSpec) => Host;
}

/** Declares a kind; the type parameter is the handle that a runtime of the kind must return. */
export function defineKind<H>(kind: Kind<H>): Kind<H> {
  return Object.freeze(kind);
}
