/**
 * A key that its object may not have: what was meant by it. In order: a form that people invent, a name of the interface
 * without a plugin, a field that belongs to another object nearby, a slip of the fingers.
 */
import type { FieldNode } from '../schema/field-node.js';
import { nearest } from '../source/suggest.js';
import { memberOf, type LocatedNode, type Member } from '../source/tree.js';
import type { Absent } from './expected.js';
import { ABSENT, kindWord } from './judge.js';
import type { Expansion, Registry } from './registry.js';
import { hint, type Report, type Spot } from './report.js';

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
  /** Open maps in it: the entry says what fits. */
  readonly entries: readonly FieldNode[];
}

/** Made once for an object: a file that was pasted by mistake may hold thousands of unknown keys. */
export function unknownKeys(found: Guesser): (member: Member, spot: Spot) => void {
  const { report, expansion, label, registry, node } = found;
  const written = new Set(node.members.map(({ key }) => key));
  const free = [...expansion.fields.keys()].filter((name) => !written.has(name));
  const holders = [...expansion.fields].flatMap(([name, { field }]) => holderOf(registry, name, field));
  return (member, spot) => {
    const { key } = member;
    if (expansion.tolerated.has(key)) return;
    const right = expansion.mistaken.get(key);
    if (right !== undefined) {
      const fix = right.rename === undefined || written.has(right.rename) ? {} : renameKey(right.rename);
      report.add('DEF_INVENTED', spot, { key, place: label, right: right.say }, fix);
      return;
    }
    const absent = expansion.expected.get(key);
    if (absent !== undefined) {
      const params = { kind: kindWord(registry, absent.kind), name: absent.name, hint: ABSENT };
      report.add('DEF_UNKNOWN_PLUGIN', spot, params);
      reportInside(found, absent, member, spot);
      return;
    }
    const owner = ofAnother(found, key);
    if (owner !== null) {
      report.add('DEF_UNKNOWN_KEY', spot, { key, place: label, hint: ` It belongs ${owner}.` });
      return;
    }
    const where = outside(found, key) ?? inside(registry, holders, written, member);
    if (where !== null) {
      report.add('DEF_MISPLACED', spot, { key, place: label, where });
      return;
    }
    const near = nearest(key, free);
    const fix = near === undefined ? {} : renameKey(near);
    report.add('DEF_UNKNOWN_KEY', spot, { key, place: label, hint: hint(near) }, fix);
  };
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

function outside({ outer }: Guesser, key: string): string | null {
  const level = outer.find(({ expansion }) => expansion.fields.has(key));
  return level === undefined ? null : `to ${level.label}, beside "${level.key}"`;
}

/** One step inwards: an object, the items of a list, or an open map whose entries look like the value. */
function inside(
  registry: Registry,
  holders: readonly Holder[],
  written: ReadonlySet<string>,
  member: Member,
): string | null {
  const fitting = holders.filter(
    ({ keys, entries }) => keys.has(member.key) || entries.some((entry) => fitsEntry(registry, entry, member)),
  );
  const present = fitting.filter(({ name }) => written.has(name));
  const [chosen, other] = present.length > 0 ? present : fitting;
  return chosen === undefined || other !== undefined ? null : chosen.where;
}

function holderOf(registry: Registry, name: string, field: FieldNode): Holder[] {
  const isList = field.type === 'array' && field.inner !== null;
  const object = isList && field.inner !== null ? field.inner : field;
  const where = isList ? `inside an item of "${name}"` : `inside "${name}"`;
  if (object.type === 'record') return [{ name, where, keys: new Set(), entries: entryOf(object) }];
  if (object.type !== 'object') return [];
  const fields =
    object.parts.length > 0 ? registry.expand(object, () => undefined).fields.keys() : Object.keys(object.fields);
  // A rule written without the map around its fields.
  const maps = isList ? Object.values(object.fields).filter(({ type }) => type === 'record') : [];
  return [{ name, where, keys: new Set(fields), entries: maps.flatMap(entryOf) }];
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
