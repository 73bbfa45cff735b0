/** Validates the shapes of a located tree against the folded schemas and collects facts (`facts.ts`). */
import { isObject } from '../../contract/json.js';
import type { PluginId } from '../../contract/plugin.js';
import { listAccessors } from '../strings/accessor.js';
import type { FieldNode } from '../schema/field-node.js';
import { findMember, toJson, type LocatedNode, type Member } from '../source/tree.js';
import { trimList } from '../source/trim-list.js';
import { listMissingFields } from './missing-fields.js';
import type { NodeContext, WalkContext } from './walk-context.js';
import { findCollection, findStatement } from './collect-queries.js';
import { validateScalar, reportUnknownPlugin, formatType } from './validate-node.js';
import { collectUsages, isCompleteMember } from './plugin-usages.js';
import type { Expansion } from './registry.js';
import { reportClearSecret } from './checks/secrets.js';
import type { Span, SourceLocation } from './report.js';
import { addSharedName, getItemMeta, isSharedKind, omitNames } from './shared-names.js';
import { createUnknownKeyReporter } from './unknown-keys.js';
import { canBeMatcher, isVerbatim, MATCHER } from './verbatim.js';
import { reportWrongType } from './wrong-type.js';

/** `label` names the node in messages: `this resource`, `the config`. */
export function walk(context: WalkContext, node: LocatedNode, field: FieldNode, label: string): void {
  visit(context, node, field, { label, around: null, outer: [] });
}

function visit(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  if (node.type === 'null' && field.nullable) return;
  switch (field.type) {
    case 'object':
      visitObject(context, node, field, here);
      return;
    case 'record':
      visitRecord(context, node, field, here);
      return;
    case 'array':
      visitArray(context, node, field, here);
      return;
    case 'value':
      visitValue(context, node, field, here);
      return;
    case 'either':
      visitEither(context, node, field, here);
      return;
    case 'any':
      return;
    default:
      visitScalar(context, node, field, here);
  }
}

function checkType(
  context: WalkContext,
  node: LocatedNode,
  type: LocatedNode['type'],
  field: FieldNode,
  here: NodeContext,
): boolean {
  if (node.type === type) return true;
  reportWrongType(context.report, context.doc, node, type, field, here.label);
  return false;
}

function visitObject(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  // The plugin's name alone may replace an object with no other field.
  if (field.meta.plugin !== undefined && node.type === 'string') {
    visitPluginName(context, node, field.meta.plugin, String(node.scalar), here);
    return;
  }
  if (!checkType(context, node, 'object', field, here)) return;
  const expansion = context.registry.expand(field, (key) => {
    const member = findMember(node, key);
    // A key without a value yet is present.
    return member === undefined ? undefined : member.value === null ? null : toJson(member.value);
  });
  const flawed = new Set<PluginId>();
  const intended = new Set<string>();
  expansion.selected.forEach((id) => context.finds.uses.add(id));
  let guess: ReturnType<typeof createUnknownKeyReporter> | null = null;
  for (const member of node.members) {
    const before = context.report.errors;
    if (expansion.fields.has(member.key)) visitMember(context, node, member, expansion, here);
    else {
      const { label, outer } = here;
      guess ??= createUnknownKeyReporter({ ...context, node, expansion, field, label, outer });
      const holder = guess(member, toLocation(context, { start: member.keyStart, end: member.keyEnd }));
      if (holder !== null) intended.add(holder);
    }
    const owner = expansion.fields.get(member.key)?.plugin ?? null;
    if (owner !== null && (context.report.errors > before || !isCompleteMember(member))) flawed.add(owner);
  }
  for (const owner of reportMissing(context, node, expansion, here)) flawed.add(owner);
  reportChoices(context, node, expansion, { here, intended });
  collectUsages(context, node, field, expansion, flawed);
}

function visitMember(
  context: WalkContext,
  node: LocatedNode,
  member: Member,
  expansion: Expansion,
  here: NodeContext,
): void {
  const owned = expansion.fields.get(member.key);
  if (owned === undefined) return;
  const { deprecated } = owned.field.meta;
  if (deprecated !== undefined) {
    const params = { place: `"${member.key}"`, what: deprecated.message };
    const { replacedBy } = deprecated;
    const isFree =
      replacedBy !== undefined && expansion.fields.has(replacedBy) && findMember(node, replacedBy) === undefined;
    const fix = isFree ? { fix: { title: `rename to "${replacedBy}"`, text: JSON.stringify(replacedBy) } } : {};
    context.report.add('DEF_DEPRECATED', { doc: context.doc, start: member.keyStart, end: member.keyEnd }, params, fix);
  }
  if (owned.plugin !== null) context.finds.uses.add(owned.plugin);
  if (member.value === null) return;
  addDeclaration(context, owned.field, member.value);
  const outer = [{ expansion, label: here.label, key: member.key }, ...here.outer];
  visit(context, member.value, owned.field, { label: `"${member.key}"`, around: node, outer });
}

function reportMissing(context: WalkContext, node: LocatedNode, expansion: Expansion, here: NodeContext): PluginId[] {
  const missing = listMissingFields(node, expansion);
  for (const [name] of missing) {
    context.report.add('DEF_REQUIRED', locateOpening(context, node), { place: here.label, field: name });
  }
  return missing.flatMap(([, { plugin }]) => (plugin === null ? [] : [plugin]));
}

/** `meant`: fields that misplaced keys belong inside; those keys are reported already. */
function reportChoices(
  context: WalkContext,
  node: LocatedNode,
  expansion: Expansion,
  { here, intended }: { readonly here: NodeContext; readonly intended: ReadonlySet<string> },
): void {
  for (const { kind, present, names } of expansion.choices) {
    if (kind.select.by !== 'key') continue;
    const listed = names.map((name) => `"${name}"`).join(', ');
    const isAbsentOne =
      node.members.some(({ key }) => expansion.expected.get(key)?.kind === kind.kind) ||
      names.some((name) => intended.has(name));
    if (present.length === 0 && kind.select.pick === 'one' && !isAbsentOne) {
      context.report.add('DEF_CHOICE_MISSING', locateOpening(context, node), { place: here.label, expected: listed });
    }
    if (present.length > 1 && kind.select.pick === 'one') {
      const second = findMember(node, present[1] ?? '');
      const span = second === undefined ? node : { start: second.keyStart, end: second.keyEnd };
      context.report.add(
        'DEF_CHOICE_MANY',
        { doc: context.doc, start: span.start, end: span.end },
        { place: here.label, expected: listed },
      );
    }
  }
}

function visitRecord(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  if (!checkType(context, node, 'object', field, here)) return;
  findKeys(context, node);
  for (const member of node.members) {
    if (field.meta.declares !== undefined) {
      context.finds.declarations.push({
        symbol: field.meta.declares,
        name: member.key,
        spot: { doc: context.doc, start: member.keyStart, end: member.keyEnd },
        value: member.value === null ? null : toJson(member.value),
        node: member.value,
        late: false,
      });
    }
    if (member.value === null) continue;
    if (field.inner === null) continue;
    visit(context, member.value, field.inner, { label: `"${member.key}"`, around: node, outer: here.outer });
  }
}

function findKeys({ finds }: WalkContext, node: LocatedNode): void {
  for (const member of node.members) {
    if (member.key.includes('$') && listAccessors(member.key).length > 0) finds.accessorKeys.push(member);
  }
}

function visitArray(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  if (!checkType(context, node, 'array', field, here)) return;
  const { report, isVerified = false } = context;
  if (!isVerified) validateScalar(report, toLocation(context, node), field, here.label, node.items.length, 'items');
  if (field.inner === null) return;
  const label = field.meta.itemLabel ?? `an item of ${here.label}`;
  for (const item of node.items) {
    addDeclaration(context, field.inner, item);
    visit(context, item, field.inner, { label, around: here.around, outer: here.outer });
  }
}

/** Without an inner schema, objects and arrays may contain values at any depth. */
function visitValue(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  if (field.meta.verbatim === true && isVerbatim(node)) {
    context.finds.literals.push(node);
    return;
  }
  if (field.meta.matched === true && node.members.length > 0 && canBeMatcher(node)) {
    visitObject(context, node, MATCHER, here);
    return;
  }
  if (node.type === 'string') {
    const parts = listAccessors(String(node.scalar));
    checkText(context, node, field, here, parts.length > 0);
    addSharedName(context.finds, node, field);
    if (parts.length > 0) {
      context.finds.accessors.push({
        node,
        parts: trimList(parts),
        roots: field.meta.roots,
        leaves: field.meta.leaves === true,
        sent: field.meta.sent === true,
        afterwards: field.meta.afterwards === true,
        secret: field.meta.secret === true,
        purpose: field.meta.purpose,
        place: here.label,
      });
      return;
    }
  }
  addReference(context, node, field, here);
  if (field.inner !== null) {
    visit(context, node, field.inner, here);
    return;
  }
  findKeys(context, node);
  for (const item of node.items) visitValue(context, item, { ...field, meta: getItemMeta(field) }, here);
  for (const member of node.members) {
    if (member.value !== null) visitValue(context, member.value, { ...field, meta: omitNames(field) }, here);
  }
}

/** `visit` has already accepted nulls of nullable fields. */
function visitEither(context: WalkContext, node: LocatedNode, { options }: FieldNode, here: NodeContext): void {
  const chosen = options.find((form) => listJsonTypes(form).includes(node.type));
  if (chosen !== undefined) {
    visit(context, node, chosen, here);
    return;
  }
  const expected = [...new Set(options.flatMap(listJsonTypes))].map(formatType).join(' or ');
  context.report.add('DEF_TYPE', toLocation(context, node), {
    place: here.label,
    expected,
    actual: formatType(node.type),
  });
}

const listJsonTypes = ({ type }: FieldNode): LocatedNode['type'][] =>
  type === 'record' ? ['object'] : type === 'value' || type === 'any' || type === 'either' ? [] : [type];

/** Reports secrets in plain text. */
function checkText(
  context: WalkContext,
  node: LocatedNode,
  field: FieldNode,
  here: NodeContext,
  resolved: boolean,
): void {
  if (field.meta.secret === true) reportClearSecret(context, node, field, here.label, resolved);
  context.finds.texts.push(node);
}

function visitScalar(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  const type = field.type as 'string' | 'number' | 'boolean';
  if (!checkType(context, node, type, field, here)) return;
  const scalar = node.scalar as string | number | boolean;
  if (field.meta.plugin !== undefined) {
    visitPluginName(context, node, field.meta.plugin, String(scalar), here);
    return;
  }
  const spot = toLocation(context, node);
  if (context.isVerified !== true && !validateScalar(context.report, spot, field, here.label, scalar, 'value')) return;
  if (type === 'string' && field.meta.secret === true) {
    reportClearSecret(context, node, field, here.label, listAccessors(String(scalar)).length > 0);
  }
  const language = context.registry.languages.get(field.meta.language ?? '');
  if (language !== undefined) findStatement(context, language, node, field, here.around);
  if (field.meta.language === 'collection') findCollection(context, node, field, here.around);
  if (type === 'string') addSharedName(context.finds, node, field);
  addReference(context, node, field, here);
}

/** Accepts the plugin's name, or an accessor with such a name as its tail. */
function visitPluginName(
  context: WalkContext,
  node: LocatedNode,
  kindName: string,
  name: string,
  { label }: NodeContext,
): void {
  const { registry, report, finds } = context;
  const parts = listAccessors(name);
  const [only] = parts;
  if (only?.start === 0 && only.end === name.length) {
    const roots = registry.listRoots(`plugin:${kindName}`);
    if (roots.length > 0) {
      finds.accessors.push({ node, parts, roots, leaves: false, secret: false, place: label });
      return;
    }
  }
  if (registry.plugin(kindName, name) !== undefined) finds.uses.add(`${kindName}:${name}`);
  else reportUnknownPlugin({ registry, report }, toLocation(context, node), kindName, name, JSON.stringify);
}

function addDeclaration(context: WalkContext, field: FieldNode, node: LocatedNode): void {
  const symbol = field.meta.declares;
  if (symbol === undefined || isSharedKind(symbol) || field.type === 'record') return;
  if (isObject(node.scalar) || node.scalar === null) return;
  context.finds.declarations.push({
    symbol,
    name: String(node.scalar),
    spot: toLocation(context, node),
    value: node.scalar,
    node: null,
    late: field.meta.late === true,
  });
}

function addReference(context: WalkContext, node: LocatedNode, field: FieldNode, here: NodeContext): void {
  const { refers } = field.meta;
  if (refers === undefined || isSharedKind(refers.symbol)) return;
  if (typeof node.scalar === 'boolean' || node.scalar === null) return;
  const { when } = refers;
  if (when !== undefined && (here.around && findMember(here.around, when.field)?.value?.scalar) !== when.is) return;
  const holder = refers.within === undefined ? undefined : here.around && findMember(here.around, refers.within)?.value;
  const within = holder?.type === 'string' ? { name: String(holder.scalar), node: holder } : null;
  context.finds.references.push({ refers, name: node.scalar, node, spot: toLocation(context, node), within });
}

const toLocation = (context: WalkContext, span: Span): SourceLocation => ({
  doc: context.doc,
  start: span.start,
  end: span.end,
});

/** The opening brace, to report a missing member. */
const locateOpening = (context: WalkContext, node: LocatedNode): SourceLocation => ({
  doc: context.doc,
  start: node.start,
  end: Math.min(node.start + 1, node.end),
});
