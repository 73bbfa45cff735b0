/** Collects queries with the sibling fields that affect them. Validates nothing. */
import type { QueryLanguage } from '../../contract/query-language.js';
import type { FieldNode } from '../schema/field-node.js';
import { findMember, type LocatedNode } from '../source/tree.js';
import type { SqlText } from './facts.js';
import type { WalkContext } from './walk-context.js';

const findSiblingText = (around: LocatedNode | null, name: string | undefined): LocatedNode | null => {
  const found = name === undefined || around === null ? null : (findMember(around, name)?.value ?? null);
  return found?.type === 'string' ? found : null;
};

type QueryModifiers = Pick<
  SqlText,
  'parameters' | 'unique' | 'timestamps' | 'softDelete' | 'each' | 'store' | 'connection'
>;

/** The sibling fields that change what a query does. */
function readQueryModifiers(
  { finds, doc }: WalkContext,
  { meta }: FieldNode,
  around: LocatedNode | null,
): QueryModifiers {
  const findSibling = (name: string | undefined): LocatedNode | null =>
    name === undefined || around === null ? null : (findMember(around, name)?.value ?? null);
  const on = (found: LocatedNode | null): LocatedNode | null => (found?.scalar === true ? found : null);
  const { unique, timestamps, softDelete, each } = meta.beside ?? {};
  const list = findSibling(each);
  if (list?.type === 'string') {
    const spot = { doc, start: list.start, end: list.end };
    finds.references.push({ refers: { symbol: 'name' }, name: String(list.scalar), node: list, spot, within: null });
  }
  return {
    parameters: findSibling(meta.binds)?.items ?? [],
    unique: findSibling(unique),
    timestamps: [timestamps ?? []]
      .flat()
      .reduce<LocatedNode | null>((found, name) => found ?? on(findSibling(name)), null),
    softDelete: on(findSibling(softDelete)),
    each: list?.type === 'string' ? list : on(list),
    store: meta.store ?? null,
    connection: findSiblingText(around, meta.beside?.connection),
  };
}

export function findCollection(
  context: WalkContext,
  node: LocatedNode,
  field: FieldNode,
  around: LocatedNode | null,
): void {
  if (around === null) return;
  const collection = String(node.scalar);
  const stages = field.meta.beside?.joins;
  const joins = listJoins((stages === undefined ? undefined : findMember(around, stages)?.value) ?? null);
  context.finds.documents.push({ node, collection, joins, around, ...readQueryModifiers(context, field, around) });
}

/** Pipeline stages that read another collection, and the key for its name. */
const JOINS: ReadonlyMap<string, string> = new Map([
  ['$lookup', 'from'],
  ['$graphLookup', 'from'],
  ['$unionWith', 'coll'],
]);

/** Stages may contain pipelines. */
function listJoins(node: LocatedNode | null): LocatedNode[] {
  if (node === null) return [];
  const named = node.members.flatMap(({ key, value }) => {
    const field = JOINS.get(key);
    if (field === undefined || value === null) return [];
    const name = value.type === 'string' ? value : findMember(value, field)?.value;
    return name?.type === 'string' ? [name] : [];
  });
  return [...named, ...node.items.flatMap(listJoins), ...node.members.flatMap(({ value }) => listJoins(value))];
}

export function findStatement(
  context: WalkContext,
  language: QueryLanguage,
  node: LocatedNode,
  field: FieldNode,
  around: LocatedNode | null,
): void {
  context.finds.statements.push({
    node,
    language,
    scan: language.read(String(node.scalar)),
    around,
    binds: field.meta.binds,
    ...readQueryModifiers(context, field, around),
  });
}
