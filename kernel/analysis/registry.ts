/**
 * Kinds and specs by name, and the grammar they make together: which fields an object of a definition may have, given
 * what it holds. A value owned by one kernel, frozen once built; it knows nothing of runtimes.
 */
import { BootError } from '../contract/boot-error.js';
import { asText, type Json } from '../contract/json.js';
import type { Kind } from '../contract/kind.js';
import { pluginId, type PluginId, type PluginSpec, type SchemaLike } from '../contract/plugin.js';
import type { CodeEntry } from '../contract/problem.js';
import { Slot } from '../contract/slot.js';
import { CATALOGUE } from '../problems/catalogue.js';
import { fold, FoldError } from '../schema/fold.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Right } from '../contract/mistaken.js';
import { addExpected, addMistaken, type Absent } from './expected.js';
import { assertNoSharedFields } from './field-claims.js';
import { GRAMMAR, OPEN_SLOTS } from './grammar.js';
import { checkFacts, checkKind, checkSlots, checkSpec } from './registry-checks.js';

export interface OwnedField {
  readonly field: FieldNode;
  /** The plugin that contributes the field; null for the kernel's own and for fields common to a kind. */
  readonly plugin: PluginId | null;
}

/** A kind whose plugins are chosen by key in this object: what is written and what could be. */
export interface KeyChoice {
  readonly kind: Kind;
  readonly present: readonly string[];
  readonly names: readonly string[];
}

/** What an object of a definition may hold, given what it does hold. */
export interface Expansion {
  readonly fields: ReadonlyMap<string, OwnedField>;
  readonly choices: readonly KeyChoice[];
  /** Plugins selected by the value of a field. */
  readonly selected: readonly PluginId[];
  /** A selector is missing or wrong: keys that some plugin would accept are not reported as unknown. */
  readonly tolerated: ReadonlySet<string>;
  /** Keys that people invent here. */
  readonly mistaken: ReadonlyMap<string, Right>;
  /** Keys of plugins that the interface has and that are not here. */
  readonly expected: ReadonlyMap<string, Absent>;
  /** Required fields that may be left out where one of these keys is written. */
  readonly instead: ReadonlyMap<string, readonly string[]>;
}

export interface Registry {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly plugins: ReadonlyMap<PluginId, PluginSpec>;
  readonly codes: Readonly<Record<string, CodeEntry>>;
  kind(name: string): Kind | undefined;
  plugin(kind: string, name: string): PluginSpec | undefined;
  names(kind: string): readonly string[];
  /** Accessors whose tail is of this sort, `plugin:<kind>` for example. */
  rootsOf(tail: string): readonly string[];
  /** Kinds whose plugins are written in a slot. */
  kindsIn(slot: string): readonly Kind[];
  /** The folded schema of a plugin in a slot; undefined when it contributes no fields there. */
  schema(id: PluginId, slot: string): FieldNode | undefined;
  expand(field: FieldNode, read: (key: string) => Json | undefined): Expansion;
}

export function buildRegistry(kinds: readonly Kind[], specs: readonly PluginSpec[]): Registry {
  const kindMap = new Map<string, Kind>();
  for (const kind of kinds) {
    checkKind(kind);
    if (kindMap.has(kind.kind)) throw new BootError('PLG_DUPLICATE', { name: `kind ${kind.kind}` });
    kindMap.set(kind.kind, kind);
  }
  const plugins = new Map<PluginId, PluginSpec>();
  const schemas = new Map<string, FieldNode>();
  const commons = new Map<string, FieldNode>();
  for (const kind of kinds) if (kind.common !== undefined) commons.set(kind.kind, foldOf(kind.common, kind.kind));
  for (const spec of specs) {
    const id = pluginId(spec);
    const kind = kindMap.get(spec.kind);
    if (kind === undefined) throw new BootError('PLG_UNKNOWN_KIND', { name: id, kind: spec.kind });
    if (plugins.has(id)) throw new BootError('PLG_DUPLICATE', { name: id });
    checkSpec(spec);
    checkFacts(kind, spec);
    plugins.set(id, spec);
    for (const [slot, schema] of slotsOf(kind, spec)) schemas.set(`${id}@${slot}`, foldOf(schema, id));
  }
  const nodes = [...Object.values(GRAMMAR), ...schemas.values(), ...commons.values()];
  checkSlots(kinds, nodes, OPEN_SLOTS);
  const registry = freezeRegistry(kindMap, plugins, schemas, commons);
  assertNoSharedFields({ registry, grammar: GRAMMAR, commons }, nodes);
  return registry;
}

function slotsOf(kind: Kind, spec: PluginSpec): [string, SchemaLike][] {
  if (spec.slots !== undefined) return Object.entries(spec.slots);
  return spec.schema === undefined ? [] : kind.slots.map((slot) => [slot, spec.schema as SchemaLike]);
}

function foldOf(schema: SchemaLike, name: string): FieldNode {
  try {
    return fold(schema, name);
  } catch (error) {
    if (error instanceof FoldError) throw new BootError('PLG_SPEC', { name, what: error.message });
    throw error;
  }
}

function freezeRegistry(
  kinds: ReadonlyMap<string, Kind>,
  plugins: ReadonlyMap<PluginId, PluginSpec>,
  schemas: ReadonlyMap<string, FieldNode>,
  commons: ReadonlyMap<string, FieldNode>,
): Registry {
  const names = new Map<string, string[]>();
  for (const spec of plugins.values()) names.set(spec.kind, [...(names.get(spec.kind) ?? []), spec.name]);
  const inSlot = new Map<string, Kind[]>();
  for (const kind of kinds.values()) {
    for (const slot of kind.slots) inSlot.set(slot, [...(inSlot.get(slot) ?? []), kind]);
  }
  const codes: Record<string, CodeEntry> = { ...CATALOGUE };
  for (const spec of plugins.values()) Object.assign(codes, spec.errors);

  const registry: Registry = {
    kinds,
    plugins,
    codes: Object.freeze(codes),
    kind: (name) => kinds.get(name),
    plugin: (kind, name) => plugins.get(`${kind}:${name}`),
    names: (kind) => names.get(kind) ?? [],
    rootsOf: (tail) =>
      (inSlot.get(Slot.ACCESSOR) ?? []).flatMap(({ kind }) =>
        (names.get(kind) ?? []).filter((name) => plugins.get(`${kind}:${name}`)?.facts?.['tail'] === tail),
      ),
    kindsIn: (slot) => inSlot.get(slot) ?? [],
    schema: (id, slot) => schemas.get(`${id}@${slot}`),
    expand: (field, read) => expand(registry, commons, field, read),
  };
  return Object.freeze(registry);
}

/** Names of the fields whose text is in another language. */
export function fieldsInLanguage(registry: Registry, language: 'sql'): string[] {
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

interface Draft {
  readonly fields: Map<string, OwnedField>;
  readonly choices: KeyChoice[];
  readonly selected: PluginId[];
  readonly tolerated: Set<string>;
  readonly mistaken: Map<string, Right>;
  readonly expected: Map<string, Absent>;
  readonly instead: Map<string, string[]>;
}

function expand(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
  field: FieldNode,
  read: (key: string) => Json | undefined,
): Expansion {
  const draft: Draft = {
    fields: new Map(),
    choices: [],
    selected: [],
    tolerated: new Set(),
    mistaken: new Map(),
    expected: new Map(),
    instead: new Map(),
  };
  addFields(registry, commons, draft, field, null, read);
  return draft;
}

function addFields(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
  draft: Draft,
  source: FieldNode,
  plugin: PluginId | null,
  read: (key: string) => Json | undefined,
): void {
  for (const [name, field] of Object.entries(source.fields)) draft.fields.set(name, { field, plugin });
  addMistaken(draft, source.meta.mistaken);
  for (const slot of source.parts) {
    for (const [name, field] of Object.entries(GRAMMAR[slot]?.fields ?? {}))
      draft.fields.set(name, { field, plugin: null });
    addMistaken(draft, GRAMMAR[slot]?.meta.mistaken);
    for (const kind of registry.kindsIn(slot)) addKind(registry, commons, draft, kind, slot, read);
  }
}

function addKind(
  registry: Registry,
  commons: ReadonlyMap<string, FieldNode>,
  draft: Draft,
  kind: Kind,
  slot: string,
  read: (key: string) => Json | undefined,
): void {
  const ids = registry.names(kind.kind).map((name) => `${kind.kind}:${name}`);
  addExpected(registry, draft, kind, slot, read);
  const common = commons.get(kind.kind);
  if (common !== undefined) addFields(registry, commons, draft, common, null, read);
  const add = (id: PluginId): void => {
    const schema = registry.schema(id, slot);
    if (schema !== undefined) addFields(registry, commons, draft, schema, id, read);
  };
  switch (kind.select.by) {
    case 'always':
      ids.forEach(add);
      for (const id of ids) addInstead(registry, draft, id, slot);
      return;
    case 'field': {
      draft.fields.set(kind.select.field, { field: selectorField(kind), plugin: null });
      const id = `${kind.kind}:${asText(read(kind.select.field))}`;
      if (registry.plugins.has(id)) {
        draft.selected.push(id);
        add(id);
      } else tolerate(registry, draft, ids, slot);
      return;
    }
    case 'key': {
      const names = registry.names(kind.kind);
      for (const name of names) {
        const schema = registry.schema(`${kind.kind}:${name}`, slot);
        if (schema !== undefined) draft.fields.set(name, { field: schema, plugin: `${kind.kind}:${name}` });
      }
      draft.choices.push({ kind, names, present: names.filter((name) => read(name) !== undefined) });
      return;
    }
    case 'name':
    case 'root':
      return;
  }
}

function addInstead(registry: Registry, draft: Draft, id: PluginId, slot: string): void {
  const named = registry.plugins.get(id)?.facts?.['instead'];
  if (!Array.isArray(named)) return;
  const keys = Object.keys(registry.schema(id, slot)?.fields ?? {});
  for (const name of named as readonly string[]) draft.instead.set(name, [...(draft.instead.get(name) ?? []), ...keys]);
}

function tolerate(registry: Registry, draft: Draft, ids: readonly PluginId[], slot: string): void {
  for (const id of ids) {
    const schema = registry.schema(id, slot);
    for (const key of Object.keys(schema?.fields ?? {})) draft.tolerated.add(key);
    for (const part of schema?.parts ?? []) {
      for (const kind of registry.kindsIn(part)) {
        if (kind.select.by === 'key') registry.names(kind.kind).forEach((name) => draft.tolerated.add(name));
      }
    }
  }
}

const selectorField = (kind: Kind): FieldNode => ({
  type: 'string',
  meta: { doc: kind.summary, plugin: kind.kind },
  required: true,
  nullable: false,
  values: null,
  bounds: {},
  fields: {},
  parts: [],
  inner: null,
  options: [],
});
