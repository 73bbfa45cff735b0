/** Quick fix: adds missing rules for payload fields, with types of their columns. */
import { listPayloadReaders } from '../../language/analysis/checks/readers.js';
import { isInside } from '../../language/analysis/report.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import type { Registry } from '../../language/analysis/registry.js';
import {
  getColumnJsType,
  createRule,
  findRuleLocation,
  addRules,
  type RuleLocation,
} from '../../language/analysis/rule-location.js';
import { asText, type Json } from '../../contract/json.js';
import { jsonLine } from '../../language/source/edit-json.js';
import { offsetInFile } from '../../language/source/document.js';
import { toWorkspaceEdit } from './workspace-edit.js';
import type { ActionSourceInput, CodeActionOffer } from './action-source.js';

export function ruleActions(asked: ActionSourceInput): CodeActionOffer[] {
  const { view, range, problems } = asked;
  const offset = view.offsetAt(range.start);
  const definition = view.definitionAt(offset);
  const resource = view.analysis.resources.find((one) => one.definition === definition);
  if (resource === undefined) return [];
  const nodes = view.getCursorContext(offset).levels.map(({ node }) => node);
  const action = resource.actions.find(({ node }) => nodes.includes(node));
  if (action === undefined) return [];
  const index = Number(action.node.pointer.split('/').at(-1));
  const place = findRuleLocation(view.registry, resource.definition.node, index);
  if (place === null) return [];
  const rules = [...unknownFields(view.registry, view.analysis, resource)].flatMap(([name, column]) => {
    const rule = createRule(
      view.registry,
      place.entry,
      getColumnJsType(view.registry, column),
      column?.['optional'] === true,
    );
    return rule === null ? [] : [[name, jsonLine(rule)] as const];
  });
  const lists = listRules(asked, resource, action, place);
  if (rules.length === 0) return lists;
  const { doc } = resource.definition;
  const edit = toWorkspaceEdit(asked, doc, [addRules(doc, action.node, place, rules)]);
  const names = rules.map(([name]) => name);
  const mends = problems.filter(
    ({ code, message }) =>
      (code === 'LNK_UNDECLARED' || code === 'LNK_NO_RULE') && names.some((name) => isNamed(message, name)),
  );
  const listed = names.map((name) => `"${name}"`).join(', ');
  return [
    { title: `Add rules for ${listed}`, edit, fixes: mends, ...(mends.length === 0 && { kind: 'refactor.rewrite' }) },
    ...lists,
  ];
}

/** Searches the message literally, because names may contain any characters. */
function isNamed(message: string, name: string): boolean {
  for (let at = message.indexOf(name); at >= 0; at = message.indexOf(name, at + 1))
    if (/["$.]/.test(message.charAt(at - 1)) && !/\w/.test(message.charAt(at + name.length))) return true;
  return false;
}

/** Needs review, because the type of the list's items is unknown. */
function listRules(
  asked: ActionSourceInput,
  resource: ResourceModel,
  action: ActionModel,
  place: RuleLocation,
): CodeActionOffer[] {
  const { view, problems } = asked;
  const rule = createRule(view.registry, place.entry, 'array', false);
  const { doc, finds } = resource.definition;
  return problems.flatMap((problem) => {
    const offset = view.offsetAt(problem.range.start);
    const list = finds.statements.find(({ each }) => each !== null && offsetInFile(doc, each.start) === offset)?.each;
    const name = asText(list?.scalar);
    if (problem.code !== 'LNK_UNKNOWN_NAME' || rule === null || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return [];
    const edit = toWorkspaceEdit(asked, doc, [addRules(doc, action.node, place, [[name, jsonLine(rule)]])]);
    return [{ title: `Add a rule for the list "${name}"`, edit, fixes: [problem], needsReview: true }];
  });
}

type Column = Readonly<Record<string, Json>> | null;

/** Names of payload fields in text order, with their columns. */
function unknownFields(registry: Registry, analysis: Analysis, resource: ResourceModel): Map<string, Column> {
  const { finds } = resource.definition;
  const found = new Map<string, Column>();
  const isTaken = (name: string, action: ActionModel): boolean => {
    const { sort, why } = resource.sources.read(name, action.key);
    return sort !== 'payload' || why === 'rule' || why === 'path';
  };
  const add = (name: string, action: ActionModel, column: Column): void => {
    if (!isTaken(name, action) && /^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) found.set(name, found.get(name) ?? column);
  };
  const readers = listPayloadReaders(registry);
  for (const action of resource.actions) {
    // Names refer to fields of the item there.
    if (action.repeat !== null) continue;
    for (const { node, name, refers } of finds.references) {
      if (!isInside(node, action.node)) continue;
      const isBare = action.parameters.get(node.pointer)?.from === 'payload';
      if (isBare || refers.symbol === 'payload-field')
        add(toRootName(String(name)), action, findModelColumn(analysis, action, node.pointer));
    }
    for (const { node, parts } of finds.accessors) {
      if (!isInside(node, action.node)) continue;
      for (const part of parts) {
        const [field] = part.tail;
        if (field !== undefined && readers.includes(part.root))
          add(field, action, part.tail.length > 1 ? {} : findModelColumn(analysis, action, node.pointer));
      }
    }
  }
  return found;
}

const toRootName = (name: string): string => name.split('.')[0] ?? name;

/** The model field that a parameter is written to or compared with. */
function findModelColumn({ models }: Analysis, { definition, models: touched }: ActionModel, pointer: string): Column {
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
