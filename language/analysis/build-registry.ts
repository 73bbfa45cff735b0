/** Builds the registry of kinds and specs, and checks both. */
import type { Kind } from '../../contract/kind.js';
import type { PluginSpec, SchemaLike } from '../../contract/plugin-spec.js';
import type { Registry } from './registry.js';
import { checkKind, checkSpec, checkFacts, checkSlots } from './registry-checks.js';
import { BootError } from '../../contract/boot-error.js';
import { pluginId, type PluginId } from '../../contract/plugin.js';
import type { FieldNode } from '../schema/field-node.js';
import { GRAMMAR, OPEN_SLOTS } from './grammar.js';
import { assertNoSharedFields } from './field-claims.js';
import { foldSchema, FoldError } from '../schema/fold.js';
import type { CodeEntry } from '../../contract/problem.js';
import { CATALOGUE } from '../problems/catalogue.js';
import { Slot } from '../../contract/slot.js';
import { createExpander } from './expand.js';

/** `validated`: kinds and specs that an earlier registry has validated. */
export function buildRegistry(
  kinds: readonly Kind[],
  specs: readonly PluginSpec[],
  validated: ReadonlySet<Kind | PluginSpec> = NONE,
): Registry {
  const kindMap = new Map<string, Kind>();
  for (const kind of kinds) {
    if (!validated.has(kind)) checkKind(kind);
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
    if (!validated.has(spec)) {
      checkSpec(spec);
      checkFacts(kind, spec);
    }
    plugins.set(id, spec);
    for (const [slot, schema] of listSlots(kind, spec)) schemas.set(`${id}@${slot}`, createFolding(schema, id));
  }
  const registry = freezeRegistry(kindMap, plugins, schemas, commons);
  if (![...kinds, ...specs].every((one) => validated.has(one))) {
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

  const languages = new Map(
    [...plugins.values()].flatMap(({ language }) =>
      language === undefined ? [] : [[language.name, language] as const],
    ),
  );
  const registry: Registry = {
    kinds,
    plugins,
    languages,
    codes: Object.freeze(codes),
    kind: (name) => kinds.get(name),
    plugin: (kind, name) => plugins.get(`${kind}:${name}`),
    names: (kind) => names.get(kind) ?? [],
    listRoots: (tail) =>
      (inSlot.get(Slot.ACCESSOR) ?? []).flatMap(({ kind }) =>
        (names.get(kind) ?? []).filter((name) => plugins.get(`${kind}:${name}`)?.facts?.tail === tail),
      ),
    listKinds: (slot) => inSlot.get(slot) ?? [],
    schema: (id, slot) => schemas.get(`${id}@${slot}`)?.(),
    expand: (field, read) => expander(field, read),
  };
  const expander = createExpander(registry, commons);
  return Object.freeze(registry);
}
