/** Kinds and plugin specs by name, and the grammar they define. Immutable; it must not depend on a runtime. */
import { BootError } from '../../contract/boot-error.js';
import type { Json } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import { pluginId, type PluginId, type PluginSpec, type SchemaLike } from '../../contract/plugin.js';
import type { CodeEntry } from '../../contract/problem.js';
import { Slot } from '../../contract/slot.js';
import { CATALOGUE } from '../problems/catalogue.js';
import { foldSchema, FoldError } from '../schema/fold.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Correction } from '../../contract/common-mistakes.js';
import type { MissingPlugin } from './missing-plugins.js';
import { createExpander } from './expand.js';
import { assertNoSharedFields } from './field-claims.js';
import { GRAMMAR, OPEN_SLOTS } from './grammar.js';
import { checkFacts, checkKind, checkSlots, checkSpec } from './registry-checks.js';

export interface OwnedField {
  readonly field: FieldNode;
  /** Null for fields of the kernel and fields common to a kind. */
  readonly plugin: PluginId | null;
}

/** The possible and present keys of a kind with plugins selected by key. */
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
  /** Plugins selected by the value of a field. */
  readonly selected: readonly PluginId[];
  /** Plugins that apply to every such object, with or without their fields. */
  readonly always: readonly PluginId[];
  /** Keys that are not reported as unknown, because the selector is missing or wrong. */
  readonly tolerated: ReadonlySet<string>;
  /** Made-up keys. */
  readonly mistaken: ReadonlyMap<string, Correction>;
  /** Keys of plugins that the interface defines and that are not registered. */
  readonly expected: ReadonlyMap<string, MissingPlugin>;
  /** Required fields that may be omitted if one of these keys is present. */
  readonly instead: ReadonlyMap<string, readonly string[]>;
}

export interface Registry {
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly plugins: ReadonlyMap<PluginId, PluginSpec>;
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

/** The third parameter: kinds and specs that an earlier registry has validated together. */
export function buildRegistry(
  kinds: readonly Kind[],
  specs: readonly PluginSpec[],
  judged: ReadonlySet<Kind | PluginSpec> = NONE,
): Registry {
  const kindMap = new Map<string, Kind>();
  for (const kind of kinds) {
    if (!judged.has(kind)) checkKind(kind);
    if (kindMap.has(kind.kind)) throw new BootError('PLG_DUPLICATE', { name: `kind ${kind.kind}` });
    kindMap.set(kind.kind, kind);
  }
  const plugins = new Map<PluginId, PluginSpec>();
  const schemas = new Map<string, Folding>();
  const commons = new Map<string, FieldNode>();
  for (const kind of kinds)
    if (kind.common !== undefined) commons.set(kind.kind, foldPluginSchema(kind.common, kind.kind));
  for (const spec of specs) {
    const id = pluginId(spec);
    const kind = kindMap.get(spec.kind);
    if (kind === undefined) throw new BootError('PLG_UNKNOWN_KIND', { name: id, kind: spec.kind });
    if (plugins.has(id)) throw new BootError('PLG_DUPLICATE', { name: id });
    if (!judged.has(spec)) {
      checkSpec(spec);
      checkFacts(kind, spec);
    }
    plugins.set(id, spec);
    for (const [slot, schema] of listSlots(kind, spec)) schemas.set(`${id}@${slot}`, createFolding(schema, id));
  }
  const registry = freezeRegistry(kindMap, plugins, schemas, commons);
  if (![...kinds, ...specs].every((one) => judged.has(one))) {
    const nodes = [...Object.values(GRAMMAR), ...[...schemas.values()].map((folded) => folded()), ...commons.values()];
    checkSlots(kinds, nodes, OPEN_SLOTS);
    assertNoSharedFields({ registry, grammar: GRAMMAR, commons }, nodes);
  }
  return registry;
}

const NONE: ReadonlySet<Kind | PluginSpec> = new Set();

/** Folds a schema at the first call. */
type Folding = () => FieldNode;

function createFolding(schema: SchemaLike, name: string): Folding {
  let known: FieldNode | undefined;
  return () => (known ??= foldPluginSchema(schema, name));
}

function listSlots(kind: Kind, spec: PluginSpec): [string, SchemaLike][] {
  if (spec.slots !== undefined) return Object.entries(spec.slots);
  return spec.schema === undefined ? [] : kind.slots.map((slot) => [slot, spec.schema as SchemaLike]);
}

function foldPluginSchema(schema: SchemaLike, name: string): FieldNode {
  try {
    return foldSchema(schema, name);
  } catch (error) {
    if (error instanceof FoldError) throw new BootError('PLG_SPEC', { name, what: error.message });
    throw error;
  }
}

function freezeRegistry(
  kinds: ReadonlyMap<string, Kind>,
  plugins: ReadonlyMap<PluginId, PluginSpec>,
  schemas: ReadonlyMap<string, Folding>,
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
    listRoots: (tail) =>
      (inSlot.get(Slot.ACCESSOR) ?? []).flatMap(({ kind }) =>
        (names.get(kind) ?? []).filter((name) => plugins.get(`${kind}:${name}`)?.facts?.['tail'] === tail),
      ),
    listKinds: (slot) => inSlot.get(slot) ?? [],
    schema: (id, slot) => schemas.get(`${id}@${slot}`)?.(),
    expand: (field, read) => expander(field, read),
  };
  const expander = createExpander(registry, commons);
  return Object.freeze(registry);
}

export function listFieldsInLanguage(registry: Registry, language: 'sql'): string[] {
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
