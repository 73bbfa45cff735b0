/** The query at the cursor with its parameters, actionable and resource. Incomplete text yields what is present. */
import type { ActionModel, Definition, ResourceModel } from '../../language/analysis/model.js';
import type { Document } from '../../language/source/document.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { findMember, type LocatedNode } from '../../language/source/tree.js';
import type { CursorContext, DocumentContext } from '../document-context.js';

export interface QueryContext {
  /** The document that the nodes' offsets refer to. */
  readonly doc: Document;
  /** Field of the statement's text or of the collection's name. */
  readonly field: FieldNode;
  /** The object that contains the query; null while it is missing. */
  readonly around: LocatedNode | null;
  /** Null if there is no list. */
  readonly list: LocatedNode | null;
  readonly parameters: readonly LocatedNode[];
  readonly resource: ResourceModel | null;
  readonly action: ActionModel | null;
}

/** The statement that contains the cursor, or null. */
export function statementAt(view: DocumentContext, site: CursorContext): QueryContext | null {
  const level = site.levels.at(-1);
  if (level?.field?.meta.language !== 'sql' || site.inside === null || site.cursor.at === 'key') return null;
  return createQueryContext(view, site, level.field, site.levels.at(-2)?.node ?? null);
}

export interface DocumentQueryContext extends QueryContext {
  /** Level of the query's object. */
  readonly depth: number;
  /** As written; empty if missing. */
  readonly collection: string;
}

/** The document query that contains the cursor, or null. */
export function documentQueryAt(view: DocumentContext, site: CursorContext): DocumentQueryContext | null {
  for (let depth = site.levels.length - 1; depth >= 0; depth--) {
    const level = site.levels[depth];
    const found = [...(level?.expansion?.fields ?? [])].find(([, owned]) => owned.field.meta.language === 'collection');
    if (found === undefined || level === undefined) continue;
    const [key, { field }] = found;
    const named = level.node === null ? null : findMember(level.node, key)?.value;
    const collection = named?.type === 'string' ? String(named.scalar) : '';
    return { ...createQueryContext(view, site, field, level.node), depth, collection };
  }
  return null;
}

function createQueryContext(
  view: DocumentContext,
  site: CursorContext,
  field: FieldNode,
  around: LocatedNode | null,
): QueryContext {
  const { binds } = field.meta;
  const list = around === null || binds === undefined ? null : (findMember(around, binds)?.value ?? null);
  return {
    doc: site.definition?.doc ?? view.doc,
    field,
    around,
    list: list?.type === 'array' ? list : null,
    parameters: list?.items ?? [],
    ...resolveOwners(view, site.definition, around),
  };
}

/** Matches by id and pointer, because the tree at the cursor may differ from the analysed one. */
export function resolveOwners(
  view: DocumentContext,
  definition: Definition | null,
  around: LocatedNode | null,
): Pick<QueryContext, 'resource' | 'action'> {
  if (definition === null || around === null) return { resource: null, action: null };
  const id = findMember(definition.node, 'id')?.value?.scalar;
  const here = view.recentAnalysis.resources.filter((one) => one.definition.doc.file === view.doc.file);
  const resource = here.find((one) => one.definition === definition) ?? here.find((one) => one.id === id) ?? null;
  const place = `${getRelativePointer(definition, around)}/`;
  const action =
    resource?.actions.find(({ node }) => place.startsWith(`${getRelativePointer(resource.definition, node)}/`)) ?? null;
  return { resource, action };
}

/** Pointer relative to the definition. */
const getRelativePointer = (definition: Definition, { pointer }: LocatedNode): string =>
  pointer.slice(definition.node.pointer.length);

/** True if one of the named boolean siblings of the query is true. */
export const isOptionSet = ({ around }: QueryContext, names: string | readonly string[] | undefined): boolean =>
  [names ?? []].flat().some((name) => around !== null && findMember(around, name)?.value?.scalar === true);
