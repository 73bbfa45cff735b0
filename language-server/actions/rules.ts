/**
 * Adds rules for the payload fields that a resource uses and that no rule knows, of types that their columns take. Which
 * field holds rules, and which types there are, is told by the specs.
 */
import { payloadReaders } from '../../kernel/analysis/checks/readers.js';
import { descend } from '../../kernel/analysis/descend.js';
import { ROOT_FIELDS } from '../../kernel/analysis/grammar.js';
import { inside } from '../../kernel/analysis/report.js';
import type { ActionModel, Analysis, ResourceModel } from '../../kernel/analysis/model.js';
import type { Expansion, Registry } from '../../kernel/analysis/registry.js';
import { asText, type Json } from '../../kernel/contract/json.js';
import { Slot } from '../../kernel/contract/slot.js';
import type { FieldNode } from '../../kernel/schema/field-node.js';
import { addItems, addMembers, jsonLine } from '../../kernel/source/edit-json.js';
import { offsetInFile } from '../../kernel/source/document.js';
import { memberOf } from '../../kernel/source/tree.js';
import { changing } from './changing.js';
import type { Asked, Offer } from './offer.js';

export function ruleActions(asked: Asked): Offer[] {
  const { view, range, problems } = asked;
  const offset = view.offsetAt(range.start);
  const definition = view.definitionAt(offset);
  const resource = view.analysis.resources.find((one) => one.definition === definition);
  if (resource === undefined) return [];
  const nodes = view.siteAt(offset).levels.map(({ node }) => node);
  const action = resource.actions.find(({ node }) => nodes.includes(node));
  if (action === undefined) return [];
  const index = Number(action.node.pointer.split('/').at(-1));
  const level = descend(view.registry, resource.definition.node, ROOT_FIELDS.resource, ['actionables', index]).at(-1);
  const place = level?.expansion ? rulePlace(level.expansion) : null;
  if (place === null) return [];
  const rules = [...unknownFields(view.registry, view.analysis, resource)].flatMap(([name, column]) => {
    const rule = ruleFor(view.registry, place.entry, typeOf(view.registry, column), column?.['optional'] === true);
    return rule === null ? [] : [[name, jsonLine(rule)] as const];
  });
  const lists = listRules(asked, resource, action, place);
  if (rules.length === 0) return lists;
  const { doc } = resource.definition;
  const edit = changing(asked, doc, [withRules(action, place, rules)]);
  const names = rules.map(([name]) => name);
  const mends = problems.filter(
    ({ code, message }) =>
      (code === 'LNK_UNDECLARED' || code === 'LNK_NO_RULE') &&
      names.some((name) => new RegExp(`["$.]${name}\\b`).test(message)),
  );
  const listed = names.map((name) => `"${name}"`).join(', ');
  return [
    { title: `Add rules for ${listed}`, edit, mends, ...(mends.length === 0 && { kind: 'refactor.rewrite' }) },
    ...lists,
  ];
}

/** A list that statements are repeated for and that no rule declares; what its items are is for somebody to say. */
function listRules(asked: Asked, resource: ResourceModel, action: ActionModel, place: RulePlace): Offer[] {
  const { view, problems } = asked;
  const rule = ruleFor(view.registry, place.entry, 'array', false);
  const { doc, finds } = resource.definition;
  return problems.flatMap((problem) => {
    const offset = view.offsetAt(problem.range.start);
    const list = finds.statements.find(({ each }) => each !== null && offsetInFile(doc, each.start) === offset)?.each;
    const name = asText(list?.scalar);
    if (problem.code !== 'LNK_UNKNOWN_NAME' || rule === null || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
    const edit = changing(asked, doc, [withRules(action, place, [[name, jsonLine(rule)]])]);
    return [{ title: `Add a rule for the list "${name}"`, edit, mends: [problem], asks: true }];
  });
}

/** The list of rules, the open map in each of them, and what an entry of that is. */
interface RulePlace {
  readonly list: string;
  readonly map: string;
  readonly entry: FieldNode;
}

function rulePlace({ fields }: Expansion): RulePlace | null {
  for (const [list, { field }] of fields) {
    if (field.type !== 'array' || field.inner === null) continue;
    for (const [map, { type, meta, inner }] of Object.entries(field.inner.fields)) {
      if (type === 'record' && meta.declares === 'payload-field' && inner !== null) return { list, map, entry: inner };
    }
  }
  return null;
}

function withRules(
  { node, definition: { doc } }: ActionModel,
  { list, map }: RulePlace,
  rules: readonly (readonly [string, string])[],
) {
  const rule = `{ ${JSON.stringify(map)}: { ${rules.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(', ')} } }`;
  const written = memberOf(node, list)?.value ?? null;
  const known = written?.items.flatMap((item) => memberOf(item, map)?.value ?? []).at(-1);
  if (known?.type === 'object') return addMembers(doc, known, rules);
  if (written?.type === 'array') return addItems(doc, written, [rule]);
  return addMembers(doc, node, [[list, `[${rule}]`]]);
}

/** What is known of a column: its field in the model. */
type Column = Readonly<Record<string, Json>> | null;

/** Names that mean fields of the payload, in the order of the text, with the columns that they meet. */
function unknownFields(registry: Registry, analysis: Analysis, resource: ResourceModel): Map<string, Column> {
  const { finds } = resource.definition;
  const found = new Map<string, Column>();
  const taken = (name: string): boolean =>
    resource.payloadFields.has(name) || resource.names.has(name) || resource.generated.has(name);
  const add = (name: string, column: Column): void => {
    if (!taken(name) && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) found.set(name, found.get(name) ?? column);
  };
  const readers = payloadReaders(registry);
  for (const action of resource.actions) {
    // Names mean fields of an item there.
    if (action.repeat !== null) continue;
    for (const { node, name, refers } of finds.references) {
      if (!inside(node, action.node)) continue;
      const isBare = action.parameters.get(node.pointer)?.from === 'payload';
      if (isBare || refers.symbol === 'payload-field')
        add(root(String(name)), columnOf(analysis, action, node.pointer));
    }
    for (const { node, parts } of finds.accessors) {
      if (!inside(node, action.node)) continue;
      for (const part of parts) {
        const [field] = part.tail;
        if (field !== undefined && readers.includes(part.root))
          add(field, part.tail.length > 1 ? {} : columnOf(analysis, action, node.pointer));
      }
    }
  }
  return found;
}

const root = (name: string): string => name.split('.')[0] ?? name;

/** The field of a model that a parameter is written to or compared with. */
function columnOf({ models }: Analysis, { definition, models: touched }: ActionModel, pointer: string): Column {
  for (const { parameters, scan } of definition.finds.statements) {
    const n = parameters.findIndex((one) => one.pointer === pointer) + 1;
    const column = n === 0 ? undefined : scan.placeholders.find((one) => one.n === n)?.column;
    if (column === undefined || column === null) continue;
    for (const { name, fields } of models) {
      const field = touched.includes(name)
        ? fields.find((one) => one.name.toLowerCase() === column.toLowerCase())
        : undefined;
      if (field !== undefined) return field.value;
    }
  }
  return null;
}

const JS_TYPES: Readonly<Record<string, string>> = {
  integer: 'number',
  float: 'number',
  text: 'string',
  timestamp: 'string',
};

/** The type of JSON that a column takes; text where nothing is known of it. */
function typeOf(registry: Registry, column: Column): unknown {
  const of = registry.kindsIn(Slot.MODEL_FIELD)[0];
  const facts =
    of === undefined || column === null ? undefined : registry.plugin(of.kind, asText(column['type']))?.facts;
  return facts === undefined ? 'string' : (JS_TYPES[String(facts['column'])] ?? facts['holds']);
}

/** Null where no rule lets values of this type of JSON through. */
function ruleFor(registry: Registry, entry: FieldNode, js: unknown, isOptional: boolean): Json | null {
  const kind = entry.parts.flatMap((slot) => registry.kindsIn(slot)).find(({ select }) => select.by === 'field');
  if (kind?.select.by !== 'field') return null;
  const type = registry.names(kind.kind).filter((name) => registry.plugin(kind.kind, name)?.facts?.['jsType'] === js);
  // Of several the plainest, which is the shortest.
  const chosen = [...type].sort((a, b) => bare(a, js) - bare(b, js))[0];
  if (chosen === undefined) return null;
  return { [kind.select.field]: chosen, ...(isOptional && { optional: true }) };
}

/** `STRING` is the plain one of those that let text through. */
const bare = (name: string, js: unknown): number => (name.toLowerCase() === js ? 0 : name.length);
