/**
 * A key that its object may not have: what was meant by it. In order: a form that people invent, a name of the interface
 * without a plugin, a field that belongs to another object nearby, a slip of the fingers.
 */
import type { FieldNode } from '../schema/field-node.js';
import { nearest } from '../source/suggest.js';
import { memberOf, type LocatedNode, type Member } from '../source/tree.js';
import { ABSENT, kindWord } from './judge.js';
import type { Expansion, Registry } from './registry.js';
import { hint, type Report, type Spot } from './report.js';

/** An object around the one that is judged, and the key that leads towards it. */
export interface Level {
  readonly expansion: Expansion;
  readonly label: string;
  readonly key: string;
}

export interface UnknownKey {
  readonly registry: Registry;
  readonly report: Report;
  readonly spot: Spot;
  readonly member: Member;
  readonly node: LocatedNode;
  readonly expansion: Expansion;
  readonly field: FieldNode;
  readonly label: string;
  /** From the nearest outwards. */
  readonly outer: readonly Level[];
}

export function reportUnknownKey(found: UnknownKey): void {
  const { registry, report, spot, member, expansion, label } = found;
  const { key } = member;
  if (expansion.tolerated.has(key)) return;
  const right = expansion.mistaken.get(key);
  if (right !== undefined) {
    const fix = right.rename === undefined || memberOf(found.node, right.rename) ? {} : renameKey(right.rename);
    report.add('DEF_INVENTED', spot, { key, place: label, right: right.say }, fix);
    return;
  }
  const absent = expansion.expected.get(key);
  if (absent !== undefined) {
    const params = { kind: kindWord(registry, absent.kind), name: absent.name, hint: ABSENT };
    report.add('DEF_UNKNOWN_PLUGIN', spot, params);
    return;
  }
  const where = ofAnother(found) ?? outside(found) ?? inside(found);
  if (where !== null) {
    report.add('DEF_MISPLACED', spot, { key, place: label, where });
    return;
  }
  const written = new Set(found.node.members.map((other) => other.key));
  const near = nearest(
    key,
    [...expansion.fields.keys()].filter((name) => !written.has(name)),
  );
  const fix = near === undefined ? {} : renameKey(near);
  report.add('DEF_UNKNOWN_KEY', spot, { key, place: label, hint: hint(near) }, fix);
}

const renameKey = (name: string) => ({ fix: { title: `rename to "${name}"`, text: JSON.stringify(name) } });

/** A field of plugins that are not the one chosen here: `value` where the mode is another one. */
function ofAnother({ registry, field, member: { key } }: UnknownKey): string | null {
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

function outside({ member, outer }: UnknownKey): string | null {
  const level = outer.find(({ expansion }) => expansion.fields.has(member.key));
  return level === undefined ? null : `to ${level.label}, beside "${level.key}"`;
}

/** One step inwards: an object, the items of a list, or an open map whose entries look like the value. */
function inside(found: UnknownKey): string | null {
  const holders = [...found.expansion.fields].filter(([, { field }]) => takes(found, field));
  const written = holders.filter(([name]) => memberOf(found.node, name) !== undefined);
  const [chosen, other] = written.length > 0 ? written : holders;
  if (chosen === undefined || other !== undefined) return null;
  const [name, { field }] = chosen;
  return field.type === 'array' ? `inside an item of "${name}"` : `inside "${name}"`;
}

function takes(found: UnknownKey, field: FieldNode): boolean {
  const object = field.type === 'array' && field.inner !== null ? field.inner : field;
  if (object.type === 'record') return object.inner !== null && fitsEntry(found, object.inner);
  if (object.type !== 'object') return false;
  const fields = object.parts.length > 0 ? found.registry.expand(object, () => undefined).fields : null;
  if (fields?.has(found.member.key) ?? Object.hasOwn(object.fields, found.member.key)) return true;
  // A rule written without the map around its fields.
  return (
    field.type === 'array' && Object.values(object.fields).some((own) => own.type === 'record' && takes(found, own))
  );
}

/** An entry that says which plugin it is. */
function fitsEntry({ registry, member }: UnknownKey, entry: FieldNode): boolean {
  const { value } = member;
  if (value?.type !== 'object') return false;
  return entry.parts.some((slot) =>
    registry
      .kindsIn(slot)
      .some(({ select }) => select.by === 'field' && memberOf(value, select.field)?.value?.type === 'string'),
  );
}
