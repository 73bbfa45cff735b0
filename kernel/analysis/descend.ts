/**
 * Which field stands at a path of a definition, whether or not anything is written there yet: the question of an editor
 * whose text is half typed. Reads the tree as far as it goes; judges nothing and reports nothing.
 */
import type { PluginId } from '../contract/plugin.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { memberOf, toJson, type LocatedNode } from '../source/tree.js';
import type { Expansion, Registry } from './registry.js';
import { LITERAL } from '../language/literal.js';

export type Segment = string | number;

/** One object, list or value on the way. */
export interface Level {
  /** The key or index that leads here; null for the definition itself. */
  readonly key: Segment | null;
  /** What may stand here; null where nothing is known. */
  readonly field: FieldNode | null;
  /** What stands here; null while it is still to be typed. */
  readonly node: LocatedNode | null;
  /** The plugin that contributes the field. */
  readonly owner: PluginId | null;
  /** What an object here may hold, given what it holds; null where no object may stand. */
  readonly expansion: Expansion | null;
}

/** The levels from the definition to the place, both included. */
export function descend(
  registry: Registry,
  root: LocatedNode | null,
  field: FieldNode,
  path: readonly Segment[],
): readonly Level[] {
  let level = levelOf(registry, null, field, root, null, path[0]);
  const levels = [level];
  for (const [i, key] of path.entries()) {
    const found = fieldOf(level, key);
    const node = level.node === null ? null : nodeOf(level.node, key);
    level = levelOf(registry, key, found?.field ?? null, node, found?.plugin ?? null, path[i + 1]);
    levels.push(level);
  }
  return levels;
}

/** The level of a whole definition. */
export const levelAt = (registry: Registry, node: LocatedNode | null, field: FieldNode): Level =>
  levelOf(registry, null, field, node, null, undefined);

/** What is written directly inside. */
export function childrenOf(registry: Registry, level: Level): Level[] {
  const { node } = level;
  if (node === null) return [];
  const child = (key: Segment, value: LocatedNode): Level => {
    const found = fieldOf(level, key);
    return levelOf(registry, key, found?.field ?? null, value, found?.plugin ?? null, undefined);
  };
  const members = node.members.flatMap(({ key, value }) => (value === null ? [] : [child(key, value)]));
  return [...members, ...node.items.map((item, index) => child(index, item))];
}

function levelOf(
  registry: Registry,
  key: Segment | null,
  field: FieldNode | null,
  node: LocatedNode | null,
  owner: PluginId | null,
  next: Segment | undefined,
): Level {
  const form = field === null ? null : formOf(field, node, next);
  const expansion = form?.type === 'object' ? expansionOf(registry, form, node) : null;
  return { key, field: form, node, owner, expansion };
}

/** What an object may hold, given what stands in it. */
const expansionOf = (registry: Registry, field: FieldNode, node: LocatedNode | null): Expansion =>
  registry.expand(field, (key) => {
    const member = node === null ? undefined : memberOf(node, key);
    return member === undefined ? undefined : member.value === null ? null : toJson(member.value);
  });

/** Of several forms the one that is written, or the one that the path leads through. */
function formOf(field: FieldNode, node: LocatedNode | null, next: Segment | undefined): FieldNode {
  const wanted = typeof next === 'number' ? 'array' : next !== undefined ? 'object' : node?.type;
  if (field.type === 'value' && field.inner !== null && (wanted === 'object' || wanted === 'array')) {
    return formOf(field.inner, node, next);
  }
  if (field.meta.verbatim === true && wanted === 'object' && isVerbatimSoFar(node)) return VERBATIM;
  if (field.type !== 'either') return field;
  const fits = ({ type }: FieldNode): boolean => (type === 'record' ? 'object' : type) === wanted;
  return field.options.find(fits) ?? field;
}

/** Nothing stands in it yet, or the beginning of the one member that says that it is a value. */
const isVerbatimSoFar = (node: LocatedNode | null): boolean =>
  node === null || node.members.every(({ key }) => LITERAL.startsWith(key));

const VERBATIM: FieldNode = Object.freeze({
  ...EMPTY_OBJECT,
  meta: { doc: 'A value, as it is written.', form: `{"${LITERAL}": "new"}` },
  fields: Object.freeze({
    [LITERAL]: {
      ...EMPTY_OBJECT,
      type: 'any' as const,
      meta: { doc: 'The value, as it is written: no name and no accessor.' },
    },
  }),
});

function fieldOf({ field, expansion }: Level, key: Segment): { field: FieldNode; plugin: PluginId | null } | null {
  if (field === null) return null;
  if (expansion !== null) return expansion.fields.get(String(key)) ?? null;
  if (field.type === 'record' || field.type === 'array') {
    return field.inner === null ? null : { field: field.inner, plugin: null };
  }
  // Any JSON with accessors in it, at any depth.
  return field.type === 'value' && field.inner === null ? { field, plugin: null } : null;
}

const nodeOf = (node: LocatedNode, key: Segment): LocatedNode | null =>
  (typeof key === 'number' ? node.items[key] : memberOf(node, key)?.value) ?? null;
