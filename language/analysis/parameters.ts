/**
 * Resolves the bare strings of parameter lists (`sources.ts`). A string without a source is an error, or a literal
 * under a foreign profile.
 */
import { canStoreValue } from '../../contract/column-values.js';
import { isObject, type Json } from '../../contract/json.js';
import { isSub0 } from '../../contract/profile.js';
import { addMembers, jsonLine } from '../source/edit-json.js';
import type { TextChange } from '../source/document.js';
import { findMisspelling, findNearest } from '../source/suggest.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import { isProtected } from './checks/protections.js';
import { listPayloadReaders } from './checks/readers.js';
import { getColumnType, type ColumnUsesByStatement } from './checks/types.js';
import { findMiscasedAccessors } from './checks/accessor-suggestions.js';
import type { Reference } from './facts.js';
import { findInventedName } from './made-up-names.js';
import type { LinkedAction, LinkedResource } from './linked-resource.js';
import { findParameterColumns, isOwnField, type ParameterColumns } from './bound-columns.js';
import type { Registry } from './registry.js';
import { formatHint, createRenameFix, type Report, type ReportOptions, isInside, createFix } from './report.js';
import { getColumnJsType, createRule, findRuleLocation, addRules } from './rule-location.js';
import { isWord, getRootName } from './sources.js';
import type { Source } from './model.js';
import { LITERAL } from '../strings/literal.js';

export interface ParameterContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly columnUses: ColumnUsesByStatement;
  /** The system that the definitions were written for; null means Lintel. */
  readonly profile: string | null;
}

export function linkParameters(resources: readonly LinkedResource[], context: ParameterContext): void {
  for (const resource of resources) {
    const { references, literals } = resource.definition.finds;
    for (const node of literals) {
      const action = resource.actions.find((candidate) => isInside(node, candidate.node));
      action?.parameters.set(node.pointer, { source: 'literal', from: null, verbatim: true });
    }
    for (const reference of references) {
      // `repeats.ts` resolves references that must be names.
      if (reference.refers.symbol !== 'name' || reference.refers.soft !== true) continue;
      const action = resource.actions.find((candidate) => isInside(reference.node, candidate.node));
      if (action !== undefined) decideParameter(resource, action, reference, context);
    }
  }
}

function decideParameter(
  resource: LinkedResource,
  action: LinkedAction,
  reference: Reference,
  context: ParameterContext,
): void {
  const { registry, report, profile } = context;
  const { node, name, spot, refers } = reference;
  const literal = { source: 'literal', from: null } as const;
  if (node.type !== 'string') {
    action.parameters.set(node.pointer, literal);
    return;
  }
  const text = String(name);
  const parameterColumns = findParameterColumns(resource.definition.finds, node, refers);
  const source = resource.sources.resolveBare(text, action.key, parameterColumns?.columns ?? []);
  if (source !== null && !isInvented(resource, source.why, text, registry)) {
    action.parameters.set(node.pointer, { source: 'name', from: source.sort });
    if (source.why === 'unruled') reportUnruled(resource, action, reference, { context, parameterColumns });
    return;
  }
  action.parameters.set(node.pointer, literal);
  const invented = findInventedName(registry, text);
  if (invented !== null && resource.actions.some(({ id }) => id === invented.action)) {
    report.add('LNK_INVENTED', spot, { name: text, right: invented.say });
    return;
  }
  const isLiteral = isSub0(profile);
  const near = suggestWord(resource, action, context, text, parameterColumns);
  const options = createFixes(resource, action, reference, { context, near, parameterColumns });
  const params = { name: text === '' ? EMPTY : text, hint: formatHint(near) };
  report.add(isLiteral ? 'LNK_LITERAL' : 'LNK_NO_SOURCE', spot, params, options);
}

/** The name of the empty text in messages. */
const EMPTY = ' ';

/** Without rules any word is a payload field, but it may be misspelt. */
function reportUnruled(
  resource: LinkedResource,
  action: LinkedAction,
  reference: Reference,
  {
    context,
    parameterColumns,
  }: { readonly context: ParameterContext; readonly parameterColumns: ParameterColumns | null },
): void {
  const { name, spot } = reference;
  const near = findMisspelling(String(name), listNearNames(resource, action, parameterColumns));
  if (near !== undefined)
    context.report.add('LNK_NO_RULE', spot, { name, hint: formatHint(near) }, createRenameFix(near));
  else {
    const options = createFixes(resource, action, reference, { context, near, parameterColumns });
    context.report.add('LNK_UNRULED', spot, { name }, options);
  }
}

/** Not a name, even where any word is a payload field. */
function isInvented(resource: LinkedResource, why: Source['why'], text: string, registry: Registry): boolean {
  if (why !== 'unruled') return false;
  const invented = findInventedName(registry, text);
  return invented !== null && resource.actions.some(({ id }) => id === invented.action);
}

/** Suggests a respelt accessor, a known name, or a column. */
function suggestWord(
  resource: LinkedResource,
  action: LinkedAction,
  { registry }: ParameterContext,
  text: string,
  parameterColumns: ParameterColumns | null,
): string | undefined {
  const [accessor] = findMiscasedAccessors(registry, text);
  const names = listNearNames(resource, action, parameterColumns);
  const [trimmed] = text !== text.trim() ? names.filter((name) => name === text.trim()) : [];
  return accessor?.right ?? trimmed ?? findNearest(text.trim(), names);
}

const listNearNames = (
  { payloadFields, names, generated, claims }: LinkedResource,
  { repeat }: LinkedAction,
  parameterColumns: ParameterColumns | null,
): string[] => [
  ...payloadFields.keys(),
  ...names,
  ...generated,
  ...claims,
  ...(repeat?.fields ?? []),
  ...(parameterColumns?.columns ?? []),
];

const listProtectedColumns = ({ definition }: LinkedResource, { node }: LinkedAction): string[] =>
  definition.finds.references.flatMap((one) =>
    isProtected(one) && isInside(one.node, node) ? [String(one.name).split('.').at(-1) ?? ''] : [],
  );

/** Likeliest first: another name, a declared field, a literal value. */
function createFixes(
  resource: LinkedResource,
  action: LinkedAction,
  { name, node, spot, refers }: Reference,
  {
    context,
    near,
    parameterColumns,
  }: {
    readonly context: ParameterContext;
    readonly near: string | undefined;
    readonly parameterColumns: ParameterColumns | null;
  },
): ReportOptions {
  const text = String(name);
  const json = `{ "${LITERAL}": ${JSON.stringify(text)} }`;
  // A text that cannot be a name is a value. So are words in scheduled work, which has no payload.
  const isTimed = action.timing.scheduled;
  const isCertain = near === undefined && (isTimed || !isWord(text));
  const title = `write it as a value: ${json}`;
  const value = { title, text: json, isClear: true as const, ...(!isCertain && { asks: true as const }) };
  const words = isWord(text) && !isTimed ? [...new Set([getRootName(text), ...listUnruledWords(resource)])] : [];
  const isPath = text.includes('.') || hasOpenList(resource);
  const declared =
    isPath || words.some((word) => word.includes('.')) ? [] : createDeclarations(resource, action, words, context);
  const listed = words.map((word) => `"${word}"`).join(', ');
  const field = createFix(`declare the field${words.length > 1 ? 's' : ''} ${listed}`, declared, true).fix;
  const other = createRenameFix(near).fix;
  // A literal would be stored unprotected, the same in every row.
  const isProtectedHere = listProtectedColumns(resource, action).some((column) =>
    parameterColumns?.columns.includes(column),
  );
  // A value does not name the field that it is written to.
  const isField =
    parameterColumns !== null &&
    'around' in parameterColumns.query &&
    'collection' in parameterColumns.query &&
    isOwnField(parameterColumns.query, refers);
  const fits =
    !isProtectedHere &&
    !isField &&
    listParameterFields(resource, text, context, node).every((column) => {
      const type = getColumnType(context.registry, column);
      return type === null || canStoreValue(type, text);
    });
  const all = [
    ...(other ? [{ ...other, asks: true as const }] : []),
    ...(field ? [{ ...field, isClear: true as const }] : []),
    ...(fits ? [value] : []),
  ];
  const [first, ...others] = all;
  return { ...(first && { fix: { span: spot, ...first } }), others };
}

/** Without rules only; the first rule must declare all. */
function listUnruledWords({ definition, actions, payloadFields, sources }: LinkedResource): string[] {
  if (payloadFields.size > 0) return [];
  return definition.finds.references.flatMap(({ refers, node, name }) => {
    if (refers.symbol !== 'name' || refers.soft !== true || node.type !== 'string') return [];
    const action = actions.find((one) => isInside(node, one.node));
    const columns = findParameterColumns(definition.finds, node, refers)?.columns ?? [];
    const source = action === undefined ? null : sources.resolveBare(String(name), action.key, columns);
    return source?.why === 'unruled' ? [String(name)] : [];
  });
}

/** A repeated payload list that is recognised only without rules. */
const hasOpenList = ({ definition: { finds }, payloadFields, sources }: LinkedResource): boolean =>
  payloadFields.size === 0 &&
  finds.statements.some(
    ({ each }) => each?.type === 'string' && sources.listSources(getRootName(String(each.scalar)), null).length === 0,
  );

/** The model fields that a payload field is compared with. */
function listParameterFields(
  { definition: { finds } }: LinkedResource,
  text: string,
  { columnUses, registry }: ParameterContext,
  at: LocatedNode | null = null,
): Readonly<Record<string, Json>>[] {
  const all = [text, ...listPayloadReaders(registry).map((reader) => `$${reader}.${text}`)];
  return finds.statements.flatMap((statement) =>
    (columnUses.get(statement) ?? []).flatMap(({ n, field }) => {
      const node = statement.parameters[n - 1];
      const isMeant = at === null ? node?.type === 'string' && all.includes(String(node.scalar)) : node === at;
      return isMeant && isObject(field) ? [field] : [];
    }),
  );
}

/** With the types of columns; inside the rule of a repeated list. */
function createDeclarations(
  resource: LinkedResource,
  { node, index, repeat }: LinkedAction,
  names: readonly string[],
  context: ParameterContext,
): TextChange[] {
  const { registry } = context;
  const { doc, node: root, finds } = resource.definition;
  const place = findRuleLocation(registry, root, index);
  if (place === null || names.length === 0) return [];
  const members = names.flatMap((name): (readonly [string, string])[] => {
    const columns = listParameterFields(resource, name, context);
    const types = new Set(columns.map((column) => getColumnJsType(registry, column)));
    const [type = getColumnJsType(registry, null), other] = types;
    const isOptional = columns.length > 0 && columns.every((column) => column['optional'] === true);
    // No rule fits columns of different types.
    const rule = other === undefined ? createRule(registry, place.entry, type, isOptional) : null;
    return rule === null ? [] : [[name, jsonLine(rule)]];
  });
  if (members.length < names.length) return [];
  const list =
    repeat?.from === 'payload'
      ? finds.declarations.find((one) => one.symbol === 'payload-field' && one.name === repeat.name)?.node
      : null;
  if (list?.type !== 'object') return [addRules(doc, node, place, members)];
  const inner = findMember(list, 'fields')?.value;
  if (inner?.type === 'object') return [addMembers(doc, inner, members)];
  const fields = members.map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(', ');
  return [addMembers(doc, list, [['fields', `{ ${fields} }`]])];
}
