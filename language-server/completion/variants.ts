/**
 * Lists the variants of an object: one for each selectable plugin, with the required part of its example. Knows kinds only by how
 * they are selected.
 */
import { isObject, type Json, type JsonObject } from '../../contract/json.js';
import type { Kind } from '../../contract/kind.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import type { SymbolKind } from '../../contract/field-meta.js';
import type { Registry } from '../../language/analysis/registry.js';
import { Slot } from '../../contract/slot.js';

export interface Variant {
  readonly label: string;
  readonly kind: string;
  readonly name: string;
  /** Members in addition to the required ones. */
  readonly given: JsonObject;
}

/** Variants of an object; none if it selects no plugin. */
export function listVariants(registry: Registry, field: FieldNode): Variant[] {
  const kinds = field.parts.flatMap((slot) => registry.listKinds(slot));
  return kinds.flatMap((kind) => {
    const { select } = kind;
    if (select.by !== 'field') return [];
    return registry.names(kind.kind).flatMap((name) => {
      const given = { ...getRequiredMembers(registry, field, kind, name), [select.field]: name };
      const variant = { label: name, kind: kind.kind, name, given };
      const inside = choicesIn(registry, field, given);
      return inside.length === 0
        ? [variant]
        : inside.map((one) => ({ ...variant, ...one, label: `${name}: ${one.label}` }));
    });
  });
}

/** The other examples of the plugins that an object can select, whole. */
export function listPatterns(registry: Registry, field: FieldNode): Variant[] {
  const kinds = field.parts.flatMap((slot) => registry.listKinds(slot));
  return kinds.flatMap(({ kind, select }) => {
    if (select.by !== 'field') return [];
    return registry.names(kind).flatMap((name) =>
      (registry.plugin(kind, name)?.examples ?? []).slice(1).flatMap(({ title, json }): Variant[] => {
        if (!isObject(json)) return [];
        return [{ label: `${name}: ${title}`, kind, name, given: { ...json, [select.field]: name } }];
      }),
    );
  });
}

/** One variant for each of several alternative keys. */
function choicesIn(registry: Registry, field: FieldNode, given: JsonObject): { label: string; given: JsonObject }[] {
  return registry
    .expand(field, (key) => given[key])
    .choices.flatMap(({ kind, names }) => {
      if (kind.select.by !== 'key' || kind.select.pick !== 'one') return [];
      const others = Object.entries(given).filter(([key]) => !names.includes(key));
      return names.map((name) => ({
        label: name,
        given: {
          ...Object.fromEntries(others),
          [name]: getPluginExample(registry, kind.kind, name) ?? given[name] ?? {},
        },
      }));
    });
}

/** Fills every open choice with its first option. */
export function withChoices(registry: Registry, field: FieldNode, given: JsonObject): JsonObject {
  const made: Record<string, Json> = { ...given };
  for (const slot of field.parts) {
    for (const kind of registry.listKinds(slot)) {
      const { select } = kind;
      if (select.by !== 'field' || made[select.field] !== undefined) continue;
      const [first] = registry.names(kind.kind);
      if (first !== undefined)
        Object.assign(made, getRequiredMembers(registry, field, kind, first), { [select.field]: first });
    }
  }
  for (const { kind, names, present } of registry.expand(field, (key) => made[key]).choices) {
    const [first] = names;
    if (kind.select.by !== 'key' || kind.select.pick !== 'one' || present.length > 0 || first === undefined) continue;
    made[first] = getPluginExample(registry, kind.kind, first) ?? {};
  }
  return made;
}

/** The required part of the plugin's example. */
function getRequiredMembers(registry: Registry, field: FieldNode, { kind, select }: Kind, name: string): JsonObject {
  const example = getPluginExample(registry, kind, name);
  if (!isObject(example) || select.by !== 'field') return {};
  const { fields, choices } = registry.expand(field, (key) => (key === select.field ? name : example[key]));
  const isChoice = (key: string): boolean =>
    choices.some((one) => one.kind.select.by === 'key' && one.kind.select.pick === 'one' && one.names.includes(key));
  return Object.fromEntries(
    Object.entries(example).filter(([key]) => fields.get(key)?.field.required === true || isChoice(key)),
  );
}

/** The next free numbers of an object's numeric ids. `last` returns the highest used number. */
export function numbersIn(registry: Registry, field: FieldNode, last: (symbol: SymbolKind) => number): JsonObject {
  const fields = [...registry.expand(field, () => undefined).fields];
  return Object.fromEntries(
    fields.flatMap(([name, { field: own }]) =>
      own.type === 'number' && own.meta.declares !== undefined ? [[name, last(own.meta.declares) + 1]] : [],
    ),
  );
}

export const getPluginExample = (registry: Registry, kind: string, name: string): Json | undefined =>
  registry.plugin(kind, name)?.examples[0]?.json;

/** Whole resources for an empty file: one per variant of an actionable. */
export function listResourceVariants(registry: Registry, root: FieldNode): { label: string; given: JsonObject }[] {
  const lists = [...registry.expand(root, () => undefined).fields].filter(
    ([, { field }]) => field.required && field.inner?.parts.includes(Slot.ACTIONABLE) === true,
  );
  return lists.flatMap(([name, { field }]) =>
    field.inner === null
      ? []
      : listVariants(registry, field.inner).map(({ label, given }) => ({ label, given: { [name]: [given] } })),
  );
}
