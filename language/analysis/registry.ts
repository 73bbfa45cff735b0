/** Kinds and plugin specs by name, and the grammar they define. Immutable. */
import type { Json } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { PluginId } from '../../contract/plugin.js';
import type { QueryLanguage } from '../../contract/query-language.js';
import type { PluginSpec } from '../../contract/plugin-spec.js';
import type { CodeEntry } from '../../contract/problem.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Correction } from '../../contract/common-mistakes.js';

/** A plugin that the interface defines and that is not registered. */
export interface MissingPlugin {
  readonly kind: string;
  readonly name: string;
}

export interface OwnedField {
  readonly field: FieldNode;
  /** Null for fields of the kernel or common to a kind. */
  readonly plugin: PluginId | null;
}

/** The keys of a kind with plugins selected by key. */
export interface KeyChoice {
  readonly kind: Kind;
  readonly present: readonly string[];
  readonly names: readonly string[];
}

/** The fields that an object with these members may have. */
export interface Expansion {
  readonly fields: ReadonlyMap<string, OwnedField>;
  readonly required: readonly (readonly [name: string, field: OwnedField])[];
  readonly choices: readonly KeyChoice[];
  readonly selected: readonly PluginId[];
  /** Plugins of every such object, with or without their fields. */
  readonly always: readonly PluginId[];
  /** Not reported as unknown, because the selector is wrong. */
  readonly tolerated: ReadonlySet<string>;
  /** Made-up keys. */
  readonly mistaken: ReadonlyMap<string, Correction>;
  /** Of plugins of the interface that are not registered. */
  readonly expected: ReadonlyMap<string, MissingPlugin>;
  /** Required unless one of these keys is present. */
  readonly instead: ReadonlyMap<string, readonly string[]>;
}

export interface Registry {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly plugins: ReadonlyMap<PluginId, PluginSpec>;
  /** By name. */
  readonly languages: ReadonlyMap<string, QueryLanguage>;
  readonly codes: Readonly<Record<string, CodeEntry>>;
  kind(name: string): Kind | undefined;
  plugin(kind: string, name: string): PluginSpec | undefined;
  names(kind: string): readonly string[];
  /** Accessors with this `tail` fact, for example `plugin:<kind>`. */
  listRoots(tail: string): readonly string[];
  listKinds(slot: string): readonly Kind[];
  /** Undefined if the plugin adds no fields in this slot. */
  schema(id: PluginId, slot: string): FieldNode | undefined;
  expand(field: FieldNode, read: (key: string) => Json | undefined): Expansion;
}

/** The registry that `get` returns now, as one object: what is cached for it stays. */
export const createRegistryView = (get: () => Registry): Registry =>
  new Proxy({} as Registry, { get: (_none, key) => Reflect.get(get(), key) as unknown });

export function listFieldsInLanguage(registry: Registry, language: string): string[] {
  const names = new Set<string>();
  const visit = (node: FieldNode): void => {
    for (const [name, field] of Object.entries(node.fields)) {
      if (field.meta.language === language) names.add(name);
      visit(field);
    }
    if (node.inner !== null) visit(node.inner);
  };
  for (const [id, { kind }] of registry.plugins) {
    for (const slot of registry.kind(kind)?.slots ?? []) {
      const schema = registry.schema(id, slot);
      if (schema !== undefined) visit(schema);
    }
  }
  return [...names];
}
