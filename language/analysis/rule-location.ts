/** Finds where payload fields are declared, creates the rule for a new one, and renames a misspelt one. */
import { asText, type Json } from '../../contract/json.js';
import { Slot } from '../../contract/slot.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Document, TextChange } from '../source/document.js';
import { addItems, addMembers } from '../source/edit-json.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import type { AccessorText, Reference, WalkResult } from './facts.js';
import { resolveLevels } from './levels.js';
import { ROOT_FIELDS } from './grammar.js';
import type { LinkedResource } from './linked-resource.js';
import type { Registry } from './registry.js';
import type { ReportOptions } from './report.js';
import { getRootName } from './sources.js';

/** `list`: the field with the rules; `map`: the map in each; `entry`: the schema of an entry. */
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
  return facts === undefined ? 'string' : (JS_TYPES[facts.column ?? ''] ?? facts.holds);
}

/** Null if no rule type accepts the JavaScript type. */
export function createRule(registry: Registry, entry: FieldNode, js: unknown, isOptional: boolean): Json | null {
  const kind = entry.parts.flatMap((slot) => registry.listKinds(slot)).find(({ select }) => select.by === 'field');
  if (kind?.select.by !== 'field') return null;
  const type = registry.names(kind.kind).filter((name) => registry.plugin(kind.kind, name)?.facts?.jsType === js);
  // The type named like the JavaScript type, else the shortest.
  const chosen = [...type].sort((a, b) => rankRuleType(a, js) - rankRuleType(b, js))[0];
  if (chosen === undefined) return null;
  return { [kind.select.field]: chosen, ...(isOptional && { optional: true }) };
}

const rankRuleType = (name: string, js: unknown): number => (name.toLowerCase() === js ? 0 : name.length);

interface UndeclaredUse {
  /** The use without a rule. */
  readonly use: Reference | AccessorText;
  readonly name: string;
  /** The rule of a similar name. */
  readonly near: string | undefined;
}

/**
 * Null if the use may be misspelt. Otherwise the rule is, and the fix renames it, unless something else has its name.
 */
export function suggestRuleRename(
  { definition: { finds } }: LinkedResource,
  { use, name, near }: UndeclaredUse,
): ReportOptions | null {
  if (!hasOtherUse(finds, name, use)) return null;
  const rules = finds.declarations.filter((one) => one.symbol === 'payload-field' && one.name === near);
  const [only, other] = rules;
  if (only === undefined || other !== undefined || hasOtherUse(finds, only.name, use)) return {};
  return { fix: { title: `rename the rule to "${name}"`, text: JSON.stringify(name), span: only.spot, asks: true } };
}

/** A query, an accessor or a reference other than `except` has the name. */
function hasOtherUse(finds: WalkResult, name: string, except: UndeclaredUse['use']): boolean {
  const { statements, documents, references, accessors } = finds;
  return (
    references.some((one) => one !== except && getRootName(String(one.name)) === name) ||
    accessors.some((one) => one !== except && one.parts.some(({ tail }) => tail[0] === name)) ||
    statements.some(({ language, scan }) =>
      language.listNames(scan).some((one) => one.name.toLowerCase() === name.toLowerCase()),
    ) ||
    documents.some(({ around }) => containsName(around, name))
  );
}

/** True if the node contains the name as a key or a text. */
const containsName = ({ scalar, items, members }: LocatedNode, name: string): boolean =>
  scalar === name ||
  items.some((item) => containsName(item, name)) ||
  members.some(({ key, value }) => key === name || (value !== null && containsName(value, name)));
