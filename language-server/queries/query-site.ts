/** The query at the cursor with its parameters, actionable and resource. Incomplete text yields what is present. */
import type { ActionModel, Definition, ResourceModel } from '../../language/analysis/model.js';
import type { Document } from '../../language/source/document.js';
import type { FieldNode } from '../../language/schema/field-node.js';
import { memberOf, type LocatedNode } from '../../language/source/tree.js';
import type { Site, View } from '../view.js';

export interface QuerySite {
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
export function statementAt(view: View, site: Site): QuerySite | null {
  const level = site.levels.at(-1);
  if (level?.field?.meta.language !== 'sql' || site.inside === null || site.cursor.at === 'key') return null;
  return querySite(view, site, level.field, site.levels.at(-2)?.node ?? null);
}

export interface DocumentSite extends QuerySite {
  /** Level of the query's object. */
  readonly depth: number;
  /** As written; empty if missing. */
  readonly collection: string;
}

/** The document query that contains the cursor, or null. */
export function documentQueryAt(view: View, site: Site): DocumentSite | null {
  for (let depth = site.levels.length - 1; depth >= 0; depth--) {
    const level = site.levels[depth];
    const found = [...(level?.expansion?.fields ?? [])].find(([, owned]) => owned.field.meta.language === 'collection');
    if (found === undefined || level === undefined) continue;
    const [key, { field }] = found;
    const named = level.node === null ? null : memberOf(level.node, key)?.value;
    const collection = named?.type === 'string' ? String(named.scalar) : '';
    return { ...querySite(view, site, field, level.node), depth, collection };
  }
  return null;
}

function querySite(view: View, site: Site, field: FieldNode, around: LocatedNode | null): QuerySite {
  const { binds } = field.meta;
  const list = around === null || binds === undefined ? null : (memberOf(around, binds)?.value ?? null);
  return {
    doc: site.definition?.doc ?? view.doc,
    field,
    around,
    list: list?.type === 'array' ? list : null,
    parameters: list?.items ?? [],
    ...ownersOf(view, site.definition, around),
  };
}

/** Matches by id and pointer, because the tree at the cursor may differ from the analysed one. */
export function ownersOf(
  view: View,
  definition: Definition | null,
  around: LocatedNode | null,
): Pick<QuerySite, 'resource' | 'action'> {
  if (definition === null || around === null) return { resource: null, action: null };
  const id = memberOf(definition.node, 'id')?.value?.scalar;
  const here = view.known.resources.filter((one) => one.definition.doc.file === view.doc.file);
  const resource = here.find((one) => one.definition === definition) ?? here.find((one) => one.id === id) ?? null;
  const place = `${within(definition, around)}/`;
  const action =
    resource?.actions.find(({ node }) => place.startsWith(`${within(resource.definition, node)}/`)) ?? null;
  return { resource, action };
}

/** Pointer relative to the definition. */
const within = (definition: Definition, { pointer }: LocatedNode): string =>
  pointer.slice(definition.node.pointer.length);

/** True if one of the named boolean siblings of the query is true. */
export const isOn = ({ around }: QuerySite, names: string | readonly string[] | undefined): boolean =>
  [names ?? []].flat().some((name) => around !== null && memberOf(around, name)?.value?.scalar === true);
