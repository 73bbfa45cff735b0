/**
 * Reports unused declarations, undeclared names, and values that results cannot contain. Any text equal to a name
 * counts.
 */
import type { Forms } from '../../../contract/api.js';
import { ANY } from '../../../contract/forms.js';
import { listAccessors, type AccessorPart } from '../../strings/accessor.js';
import { locateInString } from '../../source/escapes.js';
import { findMisspelling, findNearest } from '../../source/suggest.js';
import type { LocatedNode } from '../../source/tree.js';
import type { AccessorText, Declaration, Reference } from '../facts.js';
import { findInventedName } from '../made-up-names.js';
import type { LinkedAction, LinkedResource } from '../linked-resource.js';
import type { Definition } from '../model.js';
import type { Registry } from '../registry.js';
import { listFacts } from '../repeats.js';
import { suggestRuleRename } from '../rule-location.js';
import { formatHint, createRenameFix, type Report, type SourceLocation, isInside } from '../report.js';
import { listValueReads } from '../value-reads.js';
import { listPayloadReaders } from './readers.js';
import { deriveResultForms, describeForms, isAbsent } from './result-forms.js';
import type { ResultColumns } from './statements.js';

export interface UsesContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly answers: ResultColumns;
  readonly answered: (column: string) => boolean;
  /** Definitions with errors: a missing part may use a name. */
  readonly broken: ReadonlySet<Definition>;
}

export function checkUses(context: UsesContext, resources: readonly LinkedResource[]): void {
  const readers = listPayloadReaders(context.registry);
  const owners = new Map(resources.flatMap((one) => one.actions.map((action) => [action.key, one] as const)));
  for (const resource of resources) {
    const uses = collectUses(resource, readers);
    if (!context.broken.has(resource.definition)) checkUnused(context.report, resource, uses, owners);
    checkUndeclared(context.report, resource, readers, uses);
    checkValues(context, resource, owners);
    checkInside(context, resource, owners);
  }
}

interface UsedNames {
  readonly names: ReadonlySet<string>;
  readonly whole: boolean;
}

const getRoot = (name: string): string => name.split('.')[0] ?? name;

function collectUses({ definition, actions }: LinkedResource, readers: readonly string[]): UsedNames {
  const { references, declarations } = definition.finds;
  // Declarations and paths into results are not uses.
  const passed = new Set([
    ...references.filter(({ refers }) => refers.extracted === true).map(({ node }) => node.start),
    ...declarations.filter(({ symbol }) => symbol === 'name').map(({ spot }) => spot.start),
  ]);
  // A repeated list is used even if no statement names it.
  const names = new Set(actions.flatMap(({ repeat }) => (repeat?.name ? [getRoot(repeat.name)] : [])));
  let whole = false;
  const visit = (node: LocatedNode): void => {
    if (node.type === 'string' && !passed.has(node.start)) {
      const text = String(node.scalar);
      names.add(getRoot(text));
      for (const { root, tail } of listAccessors(text)) {
        if (!readers.includes(root)) continue;
        if (tail[0] === undefined) whole = true;
        else names.add(tail[0]);
      }
    }
    node.items.forEach(visit);
    for (const { value } of node.members) if (value !== null) visit(value);
  };
  visit(definition.node);
  return { names, whole };
}

function checkUnused(
  report: Report,
  resource: LinkedResource,
  { names, whole }: UsedNames,
  owners: ReadonlyMap<string, LinkedResource>,
): void {
  if (whole) return;
  // Actionables of other resources run with the same payload.
  const reachesOut = resource.actions.some(({ edges }) => edges.some(({ to }) => owners.get(to) !== resource));
  for (const { symbol, name, spot } of resource.definition.finds.declarations) {
    if (names.has(getRoot(name))) continue;
    // No fix: an unused rule rejects invalid values, an extraction requires its value.
    if (symbol === 'payload-field' && !reachesOut) report.add('LNK_RULE_UNUSED', spot, { name });
    if (symbol === 'name') report.add('LNK_NAME_UNUSED', spot, { name });
  }
}

function checkUndeclared(report: Report, resource: LinkedResource, readers: readonly string[], uses: UsedNames): void {
  const { finds } = resource.definition;
  const isRuled = finds.declarations.some(({ symbol }) => symbol === 'payload-field');
  const declared = [...resource.payloadFields.keys(), ...resource.names].map(getRoot);
  // Without rules every field belongs to the payload.
  const unused = isRuled || uses.whole ? [] : declared.filter((name) => !uses.names.has(name));
  if (!isRuled && unused.length === 0) return;
  for (const found of finds.accessors) {
    for (const part of found.parts) {
      const [field] = part.tail;
      if (field === undefined || !readers.includes(part.root) || declared.includes(field)) continue;
      if (!isRuled && findNearest(field, unused) === undefined) continue;
      reportUndeclared(report, resource, found, part, field, isRuled ? declared : unused);
    }
  }
}

function reportUndeclared(
  report: Report,
  resource: LinkedResource,
  use: AccessorText,
  part: AccessorPart,
  field: string,
  declared: readonly string[],
): void {
  const spot = locateInString(resource.definition.doc, use.node, part);
  const accessor = [`$${part.root}`, ...part.tail].join('.');
  // `checkAccessors` reports a trailing `-` or `_`.
  if (/[-_]$/.test(part.tail.at(-1) ?? '')) return;
  const before = field.split('-')[0] ?? field;
  if (before !== field && declared.includes(before)) {
    report.add('ACC_DASH', spot, { accessor, name: field, near: before });
    return;
  }
  const near = findNearest(field, declared);
  const right = near === undefined ? undefined : [`$${part.root}`, near, ...part.tail.slice(1)].join('.');
  // A similar name may be another value.
  const isSlip = findMisspelling(field, declared) === near;
  const change = right === undefined || !isSlip ? {} : { fix: { title: `change to ${right}`, text: right } };
  const fix = suggestRuleRename(resource, { use, name: field, near: isSlip ? near : undefined }) ?? change;
  report.add('LNK_UNDECLARED', spot, { accessor, hint: formatHint(right) }, fix);
}

function checkValues(
  context: UsesContext,
  resource: LinkedResource,
  owners: ReadonlyMap<string, LinkedResource>,
): void {
  for (const reference of resource.definition.finds.references) {
    if (reference.refers.symbol !== 'value') continue;
    if (isInvented(context, resource, reference)) continue;
    if (reference.refers.extracted === true) checkExtracted(context, resource, reference, owners);
  }
}

function isInvented(
  { registry, report, answered }: UsesContext,
  resource: LinkedResource,
  reference: Reference,
): boolean {
  const name = String(reference.name);
  const invented = findInventedName(registry, name);
  if (invented === null || !resource.actions.some(({ id }) => id === invented.action)) return false;
  const root = getRoot(name);
  if (resource.names.has(root) || resource.payloadFields.has(root)) return false;
  if (answered(root)) return false;
  report.add('LNK_INVENTED', reference.spot, { name, right: invented.say });
  return true;
}

function checkExtracted(
  context: UsesContext,
  resource: LinkedResource,
  reference: Reference,
  owners: ReadonlyMap<string, LinkedResource>,
): void {
  const path = String(reference.name).split('.');
  const extraction = { resource, reference, owners };
  if (!reportMissing(context, extraction, path, reference.spot))
    reportAbsent(context, extraction, path, reference.spot);
}

/** `row.nope`, where `row` is the whole result of a statement. */
function checkInside(
  context: UsesContext,
  resource: LinkedResource,
  owners: ReadonlyMap<string, LinkedResource>,
): void {
  for (const { source, path, spot } of listValueReads(resource, context.registry)) {
    if (source?.sort !== 'extracted' || path.length < 2) continue;
    const given = resource.definition.finds.declarations.filter(
      ({ symbol, name }) => symbol === 'name' && name === source.name,
    );
    const [reference, other] = given.flatMap((one) => findExtraction(resource, one.spot) ?? []);
    if (reference?.name !== WHOLE || other !== undefined) continue;
    const extraction = { resource, reference, owners };
    const rest = path.slice(1);
    if (!reportMissing(context, extraction, rest, spot)) reportAbsent(context, extraction, rest, spot);
  }
}

/** The path that selects the whole result. */
const WHOLE = 'self_';

interface Extraction {
  readonly resource: LinkedResource;
  readonly reference: Reference;
  readonly owners: ReadonlyMap<string, LinkedResource>;
}

/** Only if all possible results are known. `path` is relative to them. */
function reportMissing(
  { registry, report, answers }: UsesContext,
  { resource, reference, owners }: Extraction,
  path: readonly string[],
  spot: SourceLocation,
): boolean {
  const name = path.find((segment) => !/^\d+$/.test(segment));
  if (name === undefined || name === WHOLE) return false;
  const user = resource.actions.find(({ node }) => isInside(reference.node, node));
  if (user === undefined) return false;
  const sources = listSourceKeys(user, reference);
  const columns: string[] = [];
  for (const key of sources) {
    const known = findResultColumns(owners.get(key), key, answers) ?? findOutputs(registry, owners.get(key), key);
    if (known === null) return false;
    columns.push(...known);
  }
  if (sources.length === 0 || columns.includes(name)) return false;
  const near = name === 'self' ? 'self_' : findNearest(name, columns);
  // `[0].url` becomes `0.url`.
  const plain = String(reference.name)
    .replace(/^\$?\.?\[(\d+)\]/, '$1')
    .replace(/\[(\d+)\]/g, '.$1');
  const right = plain === String(reference.name) ? (path.length === 1 ? near : undefined) : plain;
  const fix = reference.spot === spot ? createRenameFix(right) : {};
  report.add('LNK_NOT_SELECTED', spot, { name, where: formatSources(sources), hint: formatHint(near) }, fix);
  return true;
}

const formatSources = (keys: readonly string[]): string =>
  keys.length === 1 ? `actionable ${keys[0]?.split('#').at(-1)}` : 'these actionables';

/** Where no possible result has the path, such as a column of a list. */
function reportAbsent(
  { registry, report, answers }: UsesContext,
  { resource, reference, owners }: Extraction,
  path: readonly string[],
  spot: SourceLocation,
): void {
  if (path[0] === WHOLE) return;
  const user = resource.actions.find(({ node }) => isInside(reference.node, node));
  const sources = user === undefined ? [] : listSourceKeys(user, reference);
  const forms = sources.flatMap((key): Forms => {
    const owner = owners.get(key);
    const action = owner?.actions.find((one) => one.key === key);
    if (owner === undefined || action === undefined) return [ANY];
    const columns = findResultColumns(owner, key, answers);
    return deriveResultForms({ registry, owner, action, columns }, action === user);
  });
  if (forms.length === 0 || !isAbsent(forms, path)) return;
  const others = [['0', ...path], path.slice(1)].filter((other) => other.length > 0 && !isAbsent(forms, other));
  const right = others.length === 1 ? others[0]?.join('.') : undefined;
  const fix = reference.spot === spot && right !== undefined ? createRenameFix(right).fix : undefined;
  report.add(
    'LNK_ABSENT',
    spot,
    { path: path.join('.'), where: formatSources(sources), what: describeForms(forms), hint: formatHint(right) },
    fix === undefined ? {} : { fix: { ...fix, asks: true } },
  );
}

export function findExtraction({ definition }: LinkedResource, spot: Declaration['spot']): Reference | undefined {
  const entry = findInnermost(definition.node, spot);
  return definition.finds.references.find(({ refers, node }) => refers.extracted === true && isInside(node, entry));
}

function findInnermost(node: LocatedNode, spot: Declaration['spot']): LocatedNode {
  let found = node;
  for (let at: LocatedNode | undefined = node; at !== undefined;) {
    if (at.type === 'object') found = at;
    at = [...at.items, ...at.members.flatMap(({ value }) => value ?? [])].find((one) => isInside(spot, one));
  }
  return found;
}

/** The dependencies nearest in the document, or the actionable itself. */
export function listSourceKeys(user: LinkedAction, reference: Reference): readonly string[] {
  if (user.edges.length === 0) return [user.key];
  const countSharedSegments = (pointer: string): number => {
    const [a, b] = [pointer.split('/'), reference.node.pointer.split('/')];
    const differs = a.findIndex((segment, i) => segment !== b[i]);
    return differs === -1 ? a.length : differs;
  };
  const most = Math.max(...user.edges.map(({ pointer }) => countSharedSegments(pointer)));
  return [...new Set(user.edges.filter(({ pointer }) => countSharedSegments(pointer) === most).map(({ to }) => to))];
}

/** Null if the mode does not declare them. */
function findOutputs(registry: Registry, owner: LinkedResource | undefined, key: string): readonly string[] | null {
  const action = owner?.actions.find((one) => one.key === key);
  return owner === undefined || action === undefined ? null : (listFacts(owner, action, registry)?.outputs ?? null);
}

/** Null unless the columns of exactly one statement are known. */
export function findResultColumns(
  owner: LinkedResource | undefined,
  key: string,
  answers: ResultColumns,
): readonly string[] | null {
  const action = owner?.actions.find((one) => one.key === key);
  if (owner === undefined || action === undefined) return null;
  const { finds } = owner.definition;
  const statements = [...finds.statements, ...finds.documents].filter(({ node }) => isInside(node, action.node));
  const [only, other] = statements;
  return only === undefined || other !== undefined ? null : (answers.get(only.node) ?? null);
}
