/**
 * Walks a located tree against the folded schemas: reports what does not fit, with its exact place, and collects what
 * the later stages need (names declared and referred to, accessors, SQL texts, plugins used). Judges shapes only.
 */
import { isObject, type Json } from '../contract/json.js';
import type { PluginId } from '../contract/plugin.js';
import { accessorsIn, type AccessorPart } from '../language/accessor.js';
import { scanSql, type SqlScan } from '../language/sql.js';
import type { FieldNode } from '../schema/field-node.js';
import type { Refers, SymbolKind } from '../schema/meta.js';
import type { Document } from '../source/document.js';
import { nearest } from '../source/suggest.js';
import { memberOf, toJson, type LocatedNode, type Member } from '../source/tree.js';
import { judgeScalar, typeWord } from './judge.js';
import type { Expansion, Registry } from './registry.js';
import { hint, type Report, type Span, type Spot } from './report.js';

export interface Declaration {
  readonly symbol: SymbolKind;
  readonly name: string;
  readonly spot: Spot;
  /** Plugin whose field declares it, null for the kernel's own. */
  readonly plugin: PluginId | null;
  /** The declared thing's own value, for payload fields and model fields. */
  readonly value: Json;
}

export interface Reference {
  readonly refers: Refers;
  readonly name: string | number;
  readonly node: LocatedNode;
  readonly spot: Spot;
  /** The resource named beside the list this reference stands in (`refers.within`), if it is there. */
  readonly within: { readonly name: string; readonly node: LocatedNode } | null;
}

/** A string in which accessors were found. */
export interface AccessorText {
  readonly node: LocatedNode;
  readonly parts: readonly AccessorPart[];
  readonly roots: readonly string[] | undefined;
  readonly leaves: boolean;
  readonly place: string;
}

/** A plugin's own fields in one object, for its check and for the compiler. */
export interface PluginPlace {
  readonly plugin: PluginId;
  readonly slot: string;
  readonly node: LocatedNode;
  readonly value: Readonly<Record<string, Json>>;
  readonly holder: Readonly<Record<string, Json>>;
}

export interface Finds {
  readonly declarations: Declaration[];
  readonly references: Reference[];
  readonly accessors: AccessorText[];
  readonly statements: { readonly node: LocatedNode; readonly scan: SqlScan }[];
  readonly places: PluginPlace[];
  readonly uses: Set<PluginId>;
}

export const noFinds = (): Finds => ({
  declarations: [],
  references: [],
  accessors: [],
  statements: [],
  places: [],
  uses: new Set(),
});

export interface WalkContext {
  readonly doc: Document;
  readonly registry: Registry;
  readonly report: Report;
  readonly finds: Finds;
}

/** How a place is called in messages, and which plugin's schema it belongs to. */
interface Here {
  readonly label: string;
  readonly plugin: PluginId | null;
  /** The object around the list around this node. */
  readonly around: LocatedNode | null;
}

/** `label` names the node in messages: `this resource`, `the config`. */
export function walk(context: WalkContext, node: LocatedNode, field: FieldNode, label: string): void {
  visit(context, node, field, { label, plugin: null, around: null });
}

function visit(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
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
    case 'any':
      return;
    default:
      visitScalar(context, node, field, here);
  }
}

function expected(context: WalkContext, node: LocatedNode, type: LocatedNode['type'], here: Here): boolean {
  if (node.type === type) return true;
  const params = { place: here.label, expected: typeWord(type), actual: typeWord(node.type) };
  context.report.add('DEF_TYPE', spot(context, node), params);
  return false;
}

function visitObject(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
  // An object whose only field would be the plugin's name may be written as that name.
  if (field.meta.plugin !== undefined && node.type === 'string') {
    visitPluginName(context, node, field.meta.plugin, String(node.scalar));
    return;
  }
  if (!expected(context, node, 'object', here)) return;
  const expansion = context.registry.expand(field, (key) => {
    const value = memberOf(node, key)?.value;
    return value === null || value === undefined ? undefined : toJson(value);
  });
  expansion.selected.forEach((id) => context.finds.uses.add(id));
  for (const member of node.members) visitMember(context, node, member, expansion, here);
  reportMissing(context, node, expansion, here);
  reportChoices(context, node, expansion, here);
  collectPlaces(context, node, field, expansion);
}

function visitMember(context: WalkContext, node: LocatedNode, member: Member, expansion: Expansion, here: Here): void {
  const owned = expansion.fields.get(member.key);
  if (owned === undefined) {
    if (expansion.tolerated.has(member.key)) return;
    const free = [...expansion.fields.keys()].filter((key) => memberOf(node, key) === undefined);
    const near = nearest(member.key, free);
    const span = { start: member.keyStart, end: member.keyEnd };
    const params = { key: member.key, place: here.label, hint: hint(near) };
    const fix = near === undefined ? {} : { fix: { title: `rename to "${near}"`, text: JSON.stringify(near) } };
    context.report.add('DEF_UNKNOWN_KEY', { doc: context.doc, ...span }, params, fix);
    return;
  }
  const { deprecated } = owned.field.meta;
  if (deprecated !== undefined) {
    const params = { place: `"${member.key}"`, what: deprecated.message };
    context.report.add('DEF_DEPRECATED', { doc: context.doc, start: member.keyStart, end: member.keyEnd }, params);
  }
  if (owned.plugin !== null) context.finds.uses.add(owned.plugin);
  if (member.value === null) return;
  declare(context, owned.field, member.value, owned.plugin ?? here.plugin);
  visit(context, member.value, owned.field, {
    label: `"${member.key}"`,
    plugin: owned.plugin ?? here.plugin,
    around: node,
  });
}

function reportMissing(context: WalkContext, node: LocatedNode, expansion: Expansion, here: Here): void {
  for (const [name, { field }] of expansion.fields) {
    if (!field.required || memberOf(node, name) !== undefined) continue;
    context.report.add('DEF_REQUIRED', opening(context, node), { place: here.label, field: name });
  }
}

function reportChoices(context: WalkContext, node: LocatedNode, expansion: Expansion, here: Here): void {
  for (const { kind, present, names } of expansion.choices) {
    if (kind.select.by !== 'key') continue;
    const listed = names.map((name) => `"${name}"`).join(', ');
    if (present.length === 0 && kind.select.pick === 'one') {
      context.report.add('DEF_CHOICE_MISSING', opening(context, node), { place: here.label, expected: listed });
    }
    if (present.length > 1 && kind.select.pick === 'one') {
      const second = memberOf(node, present[1] ?? '');
      const span = second === undefined ? node : { start: second.keyStart, end: second.keyEnd };
      context.report.add(
        'DEF_CHOICE_MANY',
        { doc: context.doc, start: span.start, end: span.end },
        { place: here.label, expected: listed },
      );
    }
  }
}

/** Groups the fields of this object by the plugin that owns them. */
function collectPlaces(context: WalkContext, node: LocatedNode, field: FieldNode, expansion: Expansion): void {
  const byPlugin = new Map<PluginId, Record<string, Json>>();
  const holder = toJson(node) as Readonly<Record<string, Json>>;
  for (const id of [...expansion.selected, ...alwaysApplied(context, field)]) byPlugin.set(id, {});
  for (const [key, { plugin }] of expansion.fields) {
    if (plugin === null || !Object.hasOwn(holder, key)) continue;
    const fields = byPlugin.get(plugin) ?? (Object.create(null) as Record<string, Json>);
    fields[key] = holder[key] ?? null;
    byPlugin.set(plugin, fields);
  }
  for (const [plugin, value] of byPlugin) {
    const spec = context.registry.plugins.get(plugin);
    const kind = spec && context.registry.kind(spec.kind);
    const slot = kind?.slots.find((name) => field.parts.includes(name)) ?? kind?.slots[0] ?? '';
    // A plugin chosen by key owns the object behind its key; what it checks is that object.
    const byKey = kind?.select.by === 'key' && spec !== undefined ? memberOf(node, spec.name)?.value : undefined;
    const own = byKey === undefined || byKey === null ? value : (toJson(byKey) as Record<string, Json>);
    context.finds.places.push({ plugin, slot, node: byKey ?? node, value: own, holder });
  }
}

/** Plugins that have a say in every object of a slot, whether or not their fields are written. */
function alwaysApplied({ registry, finds }: WalkContext, field: FieldNode): PluginId[] {
  const ids: PluginId[] = [];
  for (const slot of field.parts) {
    for (const kind of registry.kindsIn(slot)) {
      if (kind.select.by !== 'always') continue;
      for (const name of registry.names(kind.kind)) {
        const id = `${kind.kind}:${name}`;
        if (registry.plugins.get(id)?.facts?.['applies'] === 'always' && registry.schema(id, slot)) ids.push(id);
      }
    }
  }
  ids.forEach((id) => finds.uses.add(id));
  return ids;
}

function visitRecord(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
  if (!expected(context, node, 'object', here)) return;
  for (const member of node.members) {
    if (field.meta.declares !== undefined) {
      context.finds.declarations.push({
        symbol: field.meta.declares,
        name: member.key,
        spot: { doc: context.doc, start: member.keyStart, end: member.keyEnd },
        plugin: here.plugin,
        value: member.value === null ? null : toJson(member.value),
      });
    }
    if (member.value === null) continue;
    if (field.inner === null) continue;
    visit(context, member.value, field.inner, { label: `"${member.key}"`, plugin: here.plugin, around: node });
  }
}

function visitArray(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
  if (!expected(context, node, 'array', here)) return;
  judgeScalar(context.report, spot(context, node), field, here.label, node.items.length, 'items');
  if (field.inner === null) return;
  const inner = { ...field.inner, meta: { ...field.inner.meta } };
  const label = field.inner.meta.doc === '' ? `an item of ${here.label}` : itemLabel(here.label);
  for (const item of node.items) {
    declare(context, inner, item, here.plugin);
    visit(context, item, inner, { label, plugin: here.plugin, around: here.around });
  }
}

const itemLabel = (label: string): string => (label === '"actionables"' ? 'this actionable' : `an item of ${label}`);

/** A literal, or text with accessors; containers may hold either at any depth. */
function visitValue(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
  if (node.type === 'string') {
    const parts = accessorsIn(String(node.scalar));
    if (parts.length > 0) {
      context.finds.accessors.push({
        node,
        parts,
        roots: field.meta.roots,
        leaves: field.meta.leaves === true,
        place: here.label,
      });
      return;
    }
  }
  refer(context, node, field, here);
  if (field.inner !== null) {
    visit(context, node, field.inner, here);
    return;
  }
  for (const item of node.items) visitValue(context, item, { ...field, meta: withoutReference(field) }, here);
  for (const member of node.members) {
    if (member.value !== null) visitValue(context, member.value, { ...field, meta: withoutReference(field) }, here);
  }
}

const withoutReference = (field: FieldNode): FieldNode['meta'] => {
  const { refers: _, ...meta } = field.meta;
  return meta;
};

function visitScalar(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
  const type = field.type as 'string' | 'number' | 'boolean';
  if (!expected(context, node, type, here)) return;
  const scalar = node.scalar as string | number | boolean;
  if (field.meta.plugin !== undefined) {
    visitPluginName(context, node, field.meta.plugin, String(scalar));
    return;
  }
  if (!judgeScalar(context.report, spot(context, node), field, here.label, scalar, 'value')) return;
  if (field.meta.language === 'sql') context.finds.statements.push({ node, scan: scanSql(String(scalar)) });
  refer(context, node, field, here);
}

function visitPluginName(context: WalkContext, node: LocatedNode, kindName: string, name: string): void {
  const { registry } = context;
  if (registry.plugin(kindName, name) !== undefined) {
    context.finds.uses.add(`${kindName}:${name}`);
    return;
  }
  const title = registry.kind(kindName)?.title.toLowerCase() ?? kindName;
  const near = nearest(name, registry.names(kindName));
  const fix = near === undefined ? {} : { fix: { title: `change to "${near}"`, text: JSON.stringify(near) } };
  const words = near === undefined ? ` Known: ${registry.names(kindName).join(', ')}.` : hint(near);
  context.report.add('DEF_UNKNOWN_PLUGIN', spot(context, node), { kind: title, name, hint: words }, fix);
}

function declare(context: WalkContext, field: FieldNode, node: LocatedNode, plugin: PluginId | null): void {
  const symbol = field.meta.declares;
  if (symbol === undefined || field.type === 'record' || isObject(node.scalar) || node.scalar === null) return;
  context.finds.declarations.push({
    symbol,
    name: String(node.scalar),
    spot: spot(context, node),
    plugin,
    value: node.scalar,
  });
}

function refer(context: WalkContext, node: LocatedNode, field: FieldNode, here: Here): void {
  const { refers } = field.meta;
  if (refers === undefined || typeof node.scalar === 'boolean' || node.scalar === null) return;
  const holder = refers.within === undefined ? undefined : here.around && memberOf(here.around, refers.within)?.value;
  const within = holder?.type === 'string' ? { name: String(holder.scalar), node: holder } : null;
  context.finds.references.push({ refers, name: node.scalar, node, spot: spot(context, node), within });
}

const spot = (context: WalkContext, span: Span): Spot => ({ doc: context.doc, start: span.start, end: span.end });

/** The opening brace: the place to show when something is absent. */
const opening = (context: WalkContext, node: LocatedNode): Spot => ({
  doc: context.doc,
  start: node.start,
  end: Math.min(node.start + 1, node.end),
});
