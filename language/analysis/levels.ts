/** Finds the field at a path of a definition, even in incomplete text. */
import type { PluginId } from '../../contract/plugin.js';
import { EMPTY_OBJECT, type FieldNode } from '../schema/field-node.js';
import { findMember, toJson, type LocatedNode } from '../source/tree.js';
import type { Expansion, Registry } from './registry.js';
import { LITERAL } from '../strings/literal.js';
import { canBeMatcher, MATCHER } from './verbatim.js';

export type Segment = string | number;

export interface Level {
  /** Null for the definition itself. */
  readonly key: Segment | null;
  /** Null where the grammar allows no known field. */
  readonly field: FieldNode | null;
  /** Null if nothing is written yet. */
  readonly node: LocatedNode | null;
  readonly owner: PluginId | null;
  /** Null if no object is allowed. */
  readonly expansion: Expansion | null;
}

/** Returns the levels from the definition to the path, both included. */
export function resolveLevels(
  registry: Registry,
  root: LocatedNode | null,
  field: FieldNode,
  path: readonly Segment[],
): readonly Level[] {
  let level = createLevel(registry, null, field, root, null, path[0]);
  const levels = [level];
  for (const [i, key] of path.entries()) {
    const found = findField(level, key);
    const node = level.node === null ? null : findNode(level.node, key);
    level = createLevel(registry, key, found?.field ?? null, node, found?.plugin ?? null, path[i + 1]);
    levels.push(level);
  }
  return levels;
}

export const levelAt = (registry: Registry, node: LocatedNode | null, field: FieldNode): Level =>
  createLevel(registry, null, field, node, null, undefined);

/** Returns the levels that are written directly inside. */
export function listChildLevels(registry: Registry, level: Level): Level[] {
  const { node } = level;
  if (node === null) return [];
  const createChild = (key: Segment, value: LocatedNode): Level => {
    const found = findField(level, key);
    return createLevel(registry, key, found?.field ?? null, value, found?.plugin ?? null, undefined);
  };
  const members = node.members.flatMap(({ key, value }) => (value === null ? [] : [createChild(key, value)]));
  return [...members, ...node.items.map((item, index) => createChild(index, item))];
}

function createLevel(
  registry: Registry,
  key: Segment | null,
  field: FieldNode | null,
  node: LocatedNode | null,
  owner: PluginId | null,
  next: Segment | undefined,
): Level {
  const form = field === null ? null : selectForm(field, node, next);
  const expansion = form?.type === 'object' ? expandNode(registry, form, node) : null;
  return { key, field: form, node, owner, expansion };
}

const expandNode = (registry: Registry, field: FieldNode, node: LocatedNode | null): Expansion =>
  registry.expand(field, (key) => {
    const member = node === null ? undefined : findMember(node, key);
    return member === undefined ? undefined : member.value === null ? null : toJson(member.value);
  });

/** The alternative that is written, or that the path leads through. */
function selectForm(field: FieldNode, node: LocatedNode | null, next: Segment | undefined): FieldNode {
  const wanted = typeof next === 'number' ? 'array' : next !== undefined ? 'object' : node?.type;
  if (field.meta.matched === true && wanted === 'object' && isMatcherSoFar(node)) return MATCHER;
  if (field.type === 'value' && field.inner !== null && (wanted === 'object' || wanted === 'array')) {
    return selectForm(field.inner, node, next);
  }
  if (field.meta.verbatim === true && wanted === 'object' && isVerbatimSoFar(node)) return VERBATIM;
  if (field.type !== 'either') return field;
  const isFitting = ({ type }: FieldNode): boolean => (type === 'record' ? 'object' : type) === wanted;
  return field.options.find(isFitting) ?? field;
}

const isMatcherSoFar = (node: LocatedNode | null): boolean =>
  node === null || canBeMatcher(node) || node.members.every(({ key }) => key === '');

/** True if the object may still become a literal value. */
const isVerbatimSoFar = (node: LocatedNode | null): boolean =>
  node === null || node.members.every(({ key }) => LITERAL.startsWith(key));

const VERBATIM: FieldNode = Object.freeze({
  ...EMPTY_OBJECT,
  meta: { doc: 'A literal value.', form: `{"${LITERAL}": "new"}` },
  fields: Object.freeze({
    [LITERAL]: {
      ...EMPTY_OBJECT,
      type: 'any' as const,
      meta: { doc: 'The literal value; it is neither a name nor an accessor.' },
    },
  }),
});

function findField({ field, expansion }: Level, key: Segment): { field: FieldNode; plugin: PluginId | null } | null {
  if (field === null) return null;
  if (expansion !== null) return expansion.fields.get(String(key)) ?? null;
  if (field.type === 'record' || field.type === 'array') {
    return field.inner === null ? null : { field: field.inner, plugin: null };
  }
  // Any JSON with accessors, at any depth.
  return field.type === 'value' && field.inner === null ? { field, plugin: null } : null;
}

const findNode = (node: LocatedNode, key: Segment): LocatedNode | null =>
  (typeof key === 'number' ? node.items[key] : findMember(node, key)?.value) ?? null;
