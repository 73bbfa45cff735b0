/** Collects queries with the sibling fields that affect them. Validates nothing. */
import type { DocumentForm } from '../../contract/document-form.js';
import type { QueryLanguage } from '../../contract/query-language.js';
import type { FieldNode } from '../schema/field-node.js';
import { findMember, toJsonObject, type LocatedNode } from '../source/tree.js';
import { listDocumentFields, type DocumentField } from '../strings/document-fields.js';
import type { DocumentQuery, SqlText } from './facts.js';
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
  const form = field.meta.documents ?? null;
  const joins = form === null ? [] : listJoins(form, findMember(around, form.stages)?.value ?? null);
  const modifiers = readQueryModifiers(context, field, around);
  context.finds.documents.push({ node, collection, form, joins, around, ...modifiers });
}

/** Stages may contain stages. */
function listJoins(form: DocumentForm, node: LocatedNode | null): LocatedNode[] {
  if (node === null) return [];
  const named = node.members.flatMap(({ key, value }) => {
    const field = Object.hasOwn(form.joining, key) ? form.joining[key] : undefined;
    if (field === undefined || value === null) return [];
    const name = value.type === 'string' ? value : findMember(value, field)?.value;
    return name?.type === 'string' ? [name] : [];
  });
  const list = (one: LocatedNode | null): LocatedNode[] => listJoins(form, one);
  return [...named, ...node.items.flatMap(list), ...node.members.flatMap(({ value }) => list(value))];
}

export const listQueryFields = ({ around, form }: DocumentQuery): DocumentField[] =>
  form === null ? [] : listDocumentFields(toJsonObject(around), form);

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
