/** Finds where an actionable declares payload fields, and creates the rule for a new field. */
import { asText, type Json } from '../../contract/json.js';
import { Slot } from '../../contract/slot.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Document } from '../source/document.js';
import { addItems, addMembers } from '../source/edit-json.js';
import type { TextChange } from '../source/format.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import { resolveLevels } from './levels.js';
import { ROOT_FIELDS } from './grammar.js';
import type { Registry } from './registry.js';

/** `list`: the field with the rules; `map`: the map in each rule; `entry`: the schema of an entry. */
export interface RuleLocation {
  readonly list: string;
  readonly map: string;
  readonly entry: FieldNode;
}

/** `root`: the resource; `index`: of the actionable. */
export function findRuleLocation(registry: Registry, root: LocatedNode, index: number): RuleLocation | null {
  const fields = resolveLevels(registry, root, ROOT_FIELDS.resource, ['actionables', index]).at(-1)?.expansion?.fields;
  for (const [list, { field }] of fields ?? []) {
    if (field.type !== 'array' || field.inner === null) continue;
    for (const [map, { type, meta, inner }] of Object.entries(field.inner.fields)) {
      if (type === 'record' && meta.declares === 'payload-field' && inner !== null) return { list, map, entry: inner };
    }
  }
  return null;
}

/** `rules`: name and JSON text. `node`: the actionable. */
export function addRules(
  doc: Document,
  node: LocatedNode,
  { list, map }: RuleLocation,
  rules: readonly (readonly [string, string])[],
): TextChange {
  const rule = `{ ${JSON.stringify(map)}: { ${rules.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(', ')} } }`;
  const written = findMember(node, list)?.value ?? null;
  const known = written?.items.flatMap((item) => findMember(item, map)?.value ?? []).at(-1);
  if (known?.type === 'object') return addMembers(doc, known, rules);
  if (written?.type === 'array') return addItems(doc, written, [rule]);
  return addMembers(doc, node, [[list, `[${rule}]`]]);
}

const JS_TYPES: Readonly<Record<string, string>> = {
  integer: 'number',
  float: 'number',
  text: 'string',
  timestamp: 'string',
};

/** The JavaScript type of a column's values; `string` if unknown. */
export function getColumnJsType(registry: Registry, column: Readonly<Record<string, Json>> | null): unknown {
  const of = registry.listKinds(Slot.MODEL_FIELD)[0];
  const facts =
    of === undefined || column === null ? undefined : registry.plugin(of.kind, asText(column['type']))?.facts;
  return facts === undefined ? 'string' : (JS_TYPES[String(facts['column'])] ?? facts['holds']);
}

/** Null if no rule type accepts the JavaScript type. */
export function createRule(registry: Registry, entry: FieldNode, js: unknown, isOptional: boolean): Json | null {
  const kind = entry.parts.flatMap((slot) => registry.listKinds(slot)).find(({ select }) => select.by === 'field');
  if (kind?.select.by !== 'field') return null;
  const type = registry.names(kind.kind).filter((name) => registry.plugin(kind.kind, name)?.facts?.['jsType'] === js);
  // The type named like the JavaScript type is the most general, else the shortest name.
  const chosen = [...type].sort((a, b) => rankRuleType(a, js) - rankRuleType(b, js))[0];
  if (chosen === undefined) return null;
  return { [kind.select.field]: chosen, ...(isOptional && { optional: true }) };
}

const rankRuleType = (name: string, js: unknown): number => (name.toLowerCase() === js ? 0 : name.length);
