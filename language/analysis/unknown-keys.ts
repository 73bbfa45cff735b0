/**
 * Reports a key that its object does not allow, with the likely correction: a made-up name, a missing plugin, another
 * object, a misspelling.
 */
import type { FieldNode } from '../schema/field-node.js';
import { removeMember } from '../source/edit-json.js';
import { findNearest } from '../source/suggest.js';
import { findMember, type LocatedNode, type Member } from '../source/tree.js';
import type { WalkResult } from './facts.js';
import { ABSENT, correctToPattern, formatKind } from './validate-node.js';
import type { Expansion, OwnedField, Registry, MissingPlugin } from './registry.js';
import { formatHint, type Report, type ReportOptions, type SourceLocation, createFix } from './report.js';
import { convertToField } from './wrong-type.js';

/** `key` leads from this object towards the checked one. */
export interface OuterLevel {
  readonly expansion: Expansion;
  readonly label: string;
  readonly key: string;
}

/** The checked object and its context. */
export interface UnknownKeyContext {
  readonly registry: Registry;
  readonly report: Report;
  readonly finds: Pick<WalkResult, 'absent'>;
  readonly node: LocatedNode;
  readonly expansion: Expansion;
  readonly field: FieldNode;
  readonly label: string;
  /** Innermost first. */
  readonly outer: readonly OuterLevel[];
}

/** A field that itself contains objects. */
interface Holder {
  readonly name: string;
  readonly where: string;
  readonly keys: ReadonlySet<string>;
  /** Keys that require no other key. */
  readonly alone: ReadonlySet<string>;
  /** Schemas of map entries. */
  readonly entries: readonly FieldNode[];
}

/**
 * Created once per object, because a file may contain thousands of unknown keys. Returns the field that the key
 * belongs inside.
 */
export function createUnknownKeyReporter(
  found: UnknownKeyContext,
): (member: Member, spot: SourceLocation) => string | null {
  const { report, expansion, label, registry, node } = found;
  const written = new Set(node.members.map(({ key }) => key));
  const free = [...expansion.fields.keys()].filter((name) => !written.has(name));
  // The plugin may be misspelt, so its keys are candidates too.
  const others = [...expansion.tolerated].filter((name) => !written.has(name));
  const holders = [...expansion.fields].flatMap(([name, { field }]) => createHolders(registry, name, field));
  return (member, spot) => {
    const { key } = member;
    if (expansion.tolerated.has(key)) return null;
    const right = expansion.mistaken.get(key);
    if (right !== undefined) {
      const { say, rename = '', instead = {} } = right;
      const text = member.value === null ? undefined : (instead[String(member.value.scalar)] ?? instead['*']);
      const fix =
        text !== undefined
          ? createReplaceFix(text, node, member, spot)
          : rename === '' || written.has(rename)
            ? {}
            : createKeyFix(rename, expansion.fields.get(rename), member, spot);
      report.add('DEF_INVENTED', spot, { key, place: label, right: say }, fix);
      return null;
    }
    const absent = expansion.expected.get(key);
    if (absent !== undefined) {
      const params = { kind: formatKind(registry, absent.kind), name: absent.name, hint: ABSENT };
      report.add('DEF_UNKNOWN_PLUGIN', spot, params);
      found.finds.absent.push(member);
      reportInside(found, absent, member, spot);
      return null;
    }
    const owner = findOtherOwner(found, key);
    if (owner !== null) {
      report.add('DEF_UNKNOWN_KEY', spot, { key, place: label, hint: ` It belongs ${owner}.` });
      return null;
    }
    const where = findOutside(found, key) ?? findInside(found, holders, written, member);
    if (where !== null) {
      const holder = { key, place: label, where: where.words };
      report.add('DEF_MISPLACED', spot, holder, where.inside === null ? {} : createWrapFix(where.inside, member, spot));
      return where.holder;
    }
    const near = findNearest(key, free) ?? findNearest(key, others);
    const fix = near === undefined ? {} : createKeyFix(near, expansion.fields.get(near), member, spot);
    report.add(
      'DEF_UNKNOWN_KEY',
      spot,
      { key, place: label, hint: formatHint(near) || formatPossibleKeys(expansion, free) },
      fix,
    );
    return null;
  };
}

const MOST_LISTED = 12;

/** Required fields first. */
function formatPossibleKeys({ required }: Expansion, free: readonly string[]): string {
  if (free.length === 0) return '';
  const needed = required.flatMap(([name]) => (free.includes(name) ? [name] : []));
  const names = new Set([...needed, ...free]);
  const listed = [...names].slice(0, MOST_LISTED).map((name) => `"${name}"`);
  const rest = free.length > MOST_LISTED ? ` and ${free.length - MOST_LISTED} more` : '';
  return ` Possible here: ${listed.join(', ')}${rest}.`;
}

/** The plugin is missing, so only made-up names can be reported. */
function reportInside(
  { registry, report }: UnknownKeyContext,
  absent: MissingPlugin,
  { key, value }: Member,
  { doc }: SourceLocation,
): void {
  const { kind, name } = absent;
  const mistaken = registry.kind(kind)?.mistaken?.[name] ?? {};
  for (const inner of value?.members ?? []) {
    const right = Object.hasOwn(mistaken, inner.key) ? mistaken[inner.key] : undefined;
    if (right === undefined || value === null) continue;
    const { say, rename } = typeof right === 'string' ? { say: right, rename: undefined } : right;
    const spot = { doc, start: inner.keyStart, end: inner.keyEnd };
    const fix = rename === undefined || findMember(value, rename) !== undefined ? {} : renameKey(rename);
    report.add('DEF_INVENTED', spot, { key: inner.key, place: `"${key}"`, right: say }, fix);
  }
}

const renameKey = (name: string) => ({ fix: { title: `rename to "${name}"`, text: JSON.stringify(name) } });

/** Converts the value too; no fix if that is impossible. */
function createKeyFix(
  name: string,
  owned: OwnedField | undefined,
  { value }: Member,
  spot: SourceLocation,
): Pick<ReportOptions, 'fix'> {
  if (value === null) return renameKey(name);
  // The plugin of the field is not selected, so renaming would cause another error.
  if (owned === undefined) return {};
  const text = convertToField(spot.doc, value, owned.field);
  if (text === null) return {};
  // The value must match the pattern of the other field.
  if (value.type === 'string' && owned.field.type === 'string') {
    const formed = correctToPattern(owned.field, String(value.scalar));
    if (formed === null) return {};
    if (formed !== value.scalar) {
      const json = JSON.stringify(formed);
      return createMemberFix(`write "${name}": ${json}`, `${JSON.stringify(name)}: ${json}`, value, spot);
    }
  }
  if (text === spot.doc.text.slice(value.start, value.end)) return renameKey(name);
  return createMemberFix(`write "${name}": ${text}`, `${JSON.stringify(name)}: ${text}`, value, spot);
}

function createWrapFix(holder: string, { value }: Member, spot: SourceLocation): Pick<ReportOptions, 'fix'> {
  if (value === null) return {};
  // The value is the object, so only its key is wrong.
  if (value.type === 'object') return renameKey(holder);
  const { text } = spot.doc;
  const member = `${text.slice(spot.start, spot.end)}: ${text.slice(value.start, value.end)}`;
  return createMemberFix(`put it into "${holder}"`, `${JSON.stringify(holder)}: {${member}}`, value, spot);
}

/** Removes the member if `text` is empty. */
function createReplaceFix(
  text: string,
  node: LocatedNode,
  member: Member,
  spot: SourceLocation,
): Pick<ReportOptions, 'fix'> {
  if (text === '') return createFix('remove it', removeMember(spot.doc, node, member), true);
  return member.value === null ? {} : createMemberFix(`write ${text}`, text, member.value, spot);
}

/** Replaces the key and the value. */
const createMemberFix = (
  title: string,
  text: string,
  value: LocatedNode,
  { start }: SourceLocation,
): Pick<ReportOptions, 'fix'> => ({
  fix: { title, text, span: { start, end: value.end } },
});

/** Finds plugins that accept the key but are not selected. */
function findOtherOwner({ registry, field }: UnknownKeyContext, key: string): string | null {
  for (const slot of field.parts) {
    for (const kind of registry.listKinds(slot)) {
      if (kind.select.by !== 'field') continue;
      const names = registry.names(kind.kind).filter((name) => isAccepted(registry, `${kind.kind}:${name}`, slot, key));
      if (names.length > 0) return `to the ${formatKind(registry, kind.kind)} ${names.join(' or ')}`;
    }
  }
  return null;
}

function isAccepted(registry: Registry, id: string, slot: string, key: string): boolean {
  const schema = registry.schema(id, slot);
  if (schema === undefined) return false;
  if (Object.hasOwn(schema.fields, key)) return true;
  return schema.parts
    .flatMap((part) => registry.listKinds(part))
    .some(({ kind, select }) => select.by === 'key' && registry.names(kind).includes(key));
}

/** `words` describes the object that a key belongs in. */
interface KeyPlacement {
  readonly words: string;
  /** The field of the checked object that it belongs inside. */
  readonly holder: string | null;
  readonly inside: string | null;
}

function findOutside({ outer }: UnknownKeyContext, key: string): KeyPlacement | null {
  const level = outer.find(({ expansion }) => expansion.fields.has(key));
  return level === undefined
    ? null
    : { words: `to ${level.label}, next to "${level.key}"`, holder: null, inside: null };
}

/** Searches one level down: objects, items of lists, and maps. */
function findInside(
  { registry, expansion }: UnknownKeyContext,
  holders: readonly Holder[],
  written: ReadonlySet<string>,
  member: Member,
): KeyPlacement | null {
  const fitting = holders.filter(
    ({ keys, entries }) => keys.has(member.key) || entries.some((entry) => isEntryValue(registry, entry, member)),
  );
  const present = fitting.filter(({ name }) => written.has(name));
  const [chosen, other] = present.length > 0 ? present : fitting;
  if (chosen === undefined || other !== undefined) return null;
  const { name, where, keys, alone } = chosen;
  // With several such keys, each fix would create the object again.
  const company = [...written].some((one) => one !== member.key && keys.has(one) && !expansion.fields.has(one));
  return { words: where, holder: name, inside: alone.has(member.key) && !written.has(name) && !company ? name : null };
}

function createHolders(registry: Registry, name: string, field: FieldNode): Holder[] {
  const isList = field.type === 'array' && field.inner !== null;
  const object = isList && field.inner !== null ? field.inner : field;
  const where = isList ? `inside an item of "${name}"` : `inside "${name}"`;
  if (object.type === 'record') return [{ name, where, keys: new Set(), alone: new Set(), entries: toEntries(object) }];
  if (object.type !== 'object') return [];
  const fields =
    object.parts.length > 0 ? registry.expand(object, () => undefined).fields.keys() : Object.keys(object.fields);
  // A rule may be written without the map around its fields.
  const maps = isList ? Object.values(object.fields).filter(({ type }) => type === 'record') : [];
  const own = isList || object.parts.length > 0 ? [] : Object.entries(object.fields);
  const needed = own.flatMap(([key, { required }]) => (required ? [key] : []));
  const alone = own.map(([key]) => key).filter((key) => needed.every((one) => one === key));
  return [{ name, where, keys: new Set(fields), alone: new Set(alone), entries: maps.flatMap(toEntries) }];
}

const toEntries = ({ inner }: FieldNode): FieldNode[] => (inner === null ? [] : [inner]);

/** True if the value selects a plugin, as entries of the map do. */
function isEntryValue(registry: Registry, entry: FieldNode, { value }: Member): boolean {
  if (value?.type !== 'object') return false;
  return entry.parts.some((slot) =>
    registry
      .listKinds(slot)
      .some(({ select }) => select.by === 'field' && findMember(value, select.field)?.value?.type === 'string'),
  );
}
