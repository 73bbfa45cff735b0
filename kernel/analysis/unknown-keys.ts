/**
 * A key that its object may not have: what was meant by it. In order: a form that people invent, a name of the interface
 * without a plugin, a field that belongs to another object nearby, a slip of the fingers.
 */
import type { FieldNode } from '../schema/field-node.js';
import { removeMember } from '../source/edit-json.js';
import { nearest } from '../source/suggest.js';
import { memberOf, type LocatedNode, type Member } from '../source/tree.js';
import type { Absent } from './expected.js';
import { ABSENT, inForm, kindWord } from './judge.js';
import type { Expansion, OwnedField, Registry } from './registry.js';
import { repair } from './repairs.js';
import { hint, type Report, type ReportOptions, type Spot } from './report.js';
import { fitted } from './wrong-type.js';

/** An object around the one that is judged, and the key that leads towards it. */
export interface Level {
  readonly expansion: Expansion;
  readonly label: string;
  readonly key: string;
}

/** One object, and what is worth knowing of it only when it holds an unknown key. */
export interface Guesser {
  readonly registry: Registry;
  readonly report: Report;
  readonly node: LocatedNode;
  readonly expansion: Expansion;
  readonly field: FieldNode;
  readonly label: string;
  /** From the nearest outwards. */
  readonly outer: readonly Level[];
}

/** A field of the object that holds objects itself. */
interface Holder {
  readonly name: string;
  readonly where: string;
  readonly keys: ReadonlySet<string>;
  /** Those of them that need no other beside them. */
  readonly alone: ReadonlySet<string>;
  /** Open maps in it: the entry says what fits. */
  readonly entries: readonly FieldNode[];
}

/**
 * Made once for an object: a file that was pasted by mistake may hold thousands of unknown keys. The function that reports one gives
 * the field of the object that the key belongs inside, if there is one.
 */
export function unknownKeys(found: Guesser): (member: Member, spot: Spot) => string | null {
  const { report, expansion, label, registry, node } = found;
  const written = new Set(node.members.map(({ key }) => key));
  const free = [...expansion.fields.keys()].filter((name) => !written.has(name));
  // A plugin that is misspelt has fields, and they may be misspelt as well.
  const others = [...expansion.tolerated].filter((name) => !written.has(name));
  const holders = [...expansion.fields].flatMap(([name, { field }]) => holderOf(registry, name, field));
  return (member, spot) => {
    const { key } = member;
    if (expansion.tolerated.has(key)) return null;
    const right = expansion.mistaken.get(key);
    if (right !== undefined) {
      const { say, rename = '', instead = {} } = right;
      const text = member.value === null ? undefined : (instead[String(member.value.scalar)] ?? instead['*']);
      const fix =
        text !== undefined
          ? inPlace(text, node, member, spot)
          : rename === '' || written.has(rename)
            ? {}
            : renamed(rename, expansion.fields.get(rename), member, spot);
      report.add('DEF_INVENTED', spot, { key, place: label, right: say }, fix);
      return null;
    }
    const absent = expansion.expected.get(key);
    if (absent !== undefined) {
      const params = { kind: kindWord(registry, absent.kind), name: absent.name, hint: ABSENT };
      report.add('DEF_UNKNOWN_PLUGIN', spot, params);
      reportInside(found, absent, member, spot);
      return null;
    }
    const owner = ofAnother(found, key);
    if (owner !== null) {
      report.add('DEF_UNKNOWN_KEY', spot, { key, place: label, hint: ` It belongs ${owner}.` });
      return null;
    }
    const where = outside(found, key) ?? inside(found, holders, written, member);
    if (where !== null) {
      const holder = { key, place: label, where: where.words };
      report.add('DEF_MISPLACED', spot, holder, where.inside === null ? {} : putInside(where.inside, member, spot));
      return where.holder;
    }
    const near = nearest(key, free) ?? nearest(key, others);
    const fix = near === undefined ? {} : renamed(near, expansion.fields.get(near), member, spot);
    report.add('DEF_UNKNOWN_KEY', spot, { key, place: label, hint: hint(near) || possible(expansion, free) }, fix);
    return null;
  };
}

const MOST_LISTED = 12;

/** The fields that the object can still get, the required ones first. */
function possible({ required }: Expansion, free: readonly string[]): string {
  if (free.length === 0) return '';
  const needed = required.flatMap(([name]) => (free.includes(name) ? [name] : []));
  const names = new Set([...needed, ...free]);
  const listed = [...names].slice(0, MOST_LISTED).map((name) => `"${name}"`);
  const rest = free.length > MOST_LISTED ? ` and ${free.length - MOST_LISTED} more` : '';
  return ` Possible here: ${listed.join(', ')}${rest}.`;
}

/** Nobody is here to judge the fields of an absent plugin, but the forms that people invent for them are known. */
function reportInside({ registry, report }: Guesser, absent: Absent, { key, value }: Member, { doc }: Spot): void {
  const { kind, name } = absent;
  const mistaken = registry.kind(kind)?.mistaken?.[name] ?? {};
  for (const inner of value?.members ?? []) {
    const right = Object.hasOwn(mistaken, inner.key) ? mistaken[inner.key] : undefined;
    if (right === undefined || value === null) continue;
    const { say, rename } = typeof right === 'string' ? { say: right, rename: undefined } : right;
    const spot = { doc, start: inner.keyStart, end: inner.keyEnd };
    const fix = rename === undefined || memberOf(value, rename) !== undefined ? {} : renameKey(rename);
    report.add('DEF_INVENTED', spot, { key: inner.key, place: `"${key}"`, right: say }, fix);
  }
}

const renameKey = (name: string) => ({ fix: { title: `rename to "${name}"`, text: JSON.stringify(name) } });

/** Under its right name, with its value made to fit; nothing where the value is something else altogether. */
function renamed(
  name: string,
  owned: OwnedField | undefined,
  { value }: Member,
  spot: Spot,
): Pick<ReportOptions, 'fix'> {
  if (value === null) return renameKey(name);
  // A field of a plugin that is not chosen here: it would be the next mistake.
  if (owned === undefined) return {};
  const text = fitted(spot.doc, value, owned.field);
  if (text === null) return {};
  // In the form that the other field wants, or not at all.
  if (value.type === 'string' && owned.field.type === 'string') {
    const formed = inForm(owned.field, String(value.scalar));
    if (formed === null) return {};
    if (formed !== value.scalar) {
      const json = JSON.stringify(formed);
      return whole(`write "${name}": ${json}`, `${JSON.stringify(name)}: ${json}`, value, spot);
    }
  }
  if (text === spot.doc.text.slice(value.start, value.end)) return renameKey(name);
  return whole(`write "${name}": ${text}`, `${JSON.stringify(name)}: ${text}`, value, spot);
}

/** Into an object that is not there yet. */
function putInside(holder: string, { value }: Member, spot: Spot): Pick<ReportOptions, 'fix'> {
  if (value === null) return {};
  // The object itself under the name of one of its fields.
  if (value.type === 'object') return renameKey(holder);
  const { text } = spot.doc;
  const member = `${text.slice(spot.start, spot.end)}: ${text.slice(value.start, value.end)}`;
  return whole(`put it into "${holder}"`, `${JSON.stringify(holder)}: {${member}}`, value, spot);
}

/** Another member, or none. */
function inPlace(text: string, node: LocatedNode, member: Member, spot: Spot): Pick<ReportOptions, 'fix'> {
  if (text === '') return repair('remove it', removeMember(spot.doc, node, member), true);
  return member.value === null ? {} : whole(`write ${text}`, text, member.value, spot);
}

/** In place of the whole member. */
const whole = (title: string, text: string, value: LocatedNode, { start }: Spot): Pick<ReportOptions, 'fix'> => ({
  fix: { title, text, span: { start, end: value.end } },
});

/** A field of plugins that are not the one chosen here: `value` where the mode is another one. */
function ofAnother({ registry, field }: Guesser, key: string): string | null {
  for (const slot of field.parts) {
    for (const kind of registry.kindsIn(slot)) {
      if (kind.select.by !== 'field') continue;
      const names = registry.names(kind.kind).filter((name) => accepts(registry, `${kind.kind}:${name}`, slot, key));
      if (names.length > 0) return `to the ${kindWord(registry, kind.kind)} ${names.join(' or ')}`;
    }
  }
  return null;
}

function accepts(registry: Registry, id: string, slot: string, key: string): boolean {
  const schema = registry.schema(id, slot);
  if (schema === undefined) return false;
  if (Object.hasOwn(schema.fields, key)) return true;
  return schema.parts
    .flatMap((part) => registry.kindsIn(part))
    .some(({ kind, select }) => select.by === 'key' && registry.names(kind).includes(key));
}

/** Where a key belongs: in words, and the object that would have to be made for it, where that is all. */
interface Where {
  readonly words: string;
  /** The field of this object that it belongs inside. */
  readonly holder: string | null;
  readonly inside: string | null;
}

function outside({ outer }: Guesser, key: string): Where | null {
  const level = outer.find(({ expansion }) => expansion.fields.has(key));
  return level === undefined ? null : { words: `to ${level.label}, beside "${level.key}"`, holder: null, inside: null };
}

/** One step inwards: an object, the items of a list, or an open map whose entries look like the value. */
function inside(
  { registry, expansion }: Guesser,
  holders: readonly Holder[],
  written: ReadonlySet<string>,
  member: Member,
): Where | null {
  const fitting = holders.filter(
    ({ keys, entries }) => keys.has(member.key) || entries.some((entry) => fitsEntry(registry, entry, member)),
  );
  const present = fitting.filter(({ name }) => written.has(name));
  const [chosen, other] = present.length > 0 ? present : fitting;
  if (chosen === undefined || other !== undefined) return null;
  const { name, where, keys, alone } = chosen;
  // With two of them in one place, each would be put into an object of its own.
  const company = [...written].some((one) => one !== member.key && keys.has(one) && !expansion.fields.has(one));
  return { words: where, holder: name, inside: alone.has(member.key) && !written.has(name) && !company ? name : null };
}

function holderOf(registry: Registry, name: string, field: FieldNode): Holder[] {
  const isList = field.type === 'array' && field.inner !== null;
  const object = isList && field.inner !== null ? field.inner : field;
  const where = isList ? `inside an item of "${name}"` : `inside "${name}"`;
  if (object.type === 'record') return [{ name, where, keys: new Set(), alone: new Set(), entries: entryOf(object) }];
  if (object.type !== 'object') return [];
  const fields =
    object.parts.length > 0 ? registry.expand(object, () => undefined).fields.keys() : Object.keys(object.fields);
  // A rule written without the map around its fields.
  const maps = isList ? Object.values(object.fields).filter(({ type }) => type === 'record') : [];
  const own = isList || object.parts.length > 0 ? [] : Object.entries(object.fields);
  const needed = own.flatMap(([key, { required }]) => (required ? [key] : []));
  const alone = own.map(([key]) => key).filter((key) => needed.every((one) => one === key));
  return [{ name, where, keys: new Set(fields), alone: new Set(alone), entries: maps.flatMap(entryOf) }];
}

const entryOf = ({ inner }: FieldNode): FieldNode[] => (inner === null ? [] : [inner]);

/** An entry that says which plugin it is. */
function fitsEntry(registry: Registry, entry: FieldNode, { value }: Member): boolean {
  if (value?.type !== 'object') return false;
  return entry.parts.some((slot) =>
    registry
      .kindsIn(slot)
      .some(({ select }) => select.by === 'field' && memberOf(value, select.field)?.value?.type === 'string'),
  );
}
