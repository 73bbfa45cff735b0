/**
 * The query around a caret: its field, the object that it stands in, the list of its parameters, and the actionable and
 * resource of the analysis that it belongs to. Half-typed text has as much of it as is there.
 */
import type { ActionModel, Definition, ResourceModel } from '../../kernel/analysis/model.js';
import type { Document } from '../../kernel/source/document.js';
import type { FieldNode } from '../../kernel/schema/field-node.js';
import { memberOf, type LocatedNode } from '../../kernel/source/tree.js';
import type { Site, View } from '../view.js';

export interface QuerySite {
  /** What offsets of the nodes here count in. */
  readonly doc: Document;
  /** Of the text of the statement, or of the name of the collection. */
  readonly field: FieldNode;
  /** The object that holds the query; null while nothing is there. */
  readonly around: LocatedNode | null;
  /** The list of values; null where there is none. */
  readonly list: LocatedNode | null;
  readonly parameters: readonly LocatedNode[];
  readonly resource: ResourceModel | null;
  readonly action: ActionModel | null;
}

/** The statement whose text the caret is in; null elsewhere. */
export function statementAt(view: View, site: Site): QuerySite | null {
  const level = site.levels.at(-1);
  if (level?.field?.meta.language !== 'sql' || site.inside === null || site.cursor.at === 'key') return null;
  return querySite(view, site, level.field, site.levels.at(-2)?.node ?? null);
}

export interface DocumentSite extends QuerySite {
  /** The level of the query's object. */
  readonly depth: number;
  /** As written; the empty text while there is none. */
  readonly collection: string;
}

/** The document query that the caret is in; null elsewhere. */
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

/** By id and pointer: the tree around a caret need not be the one that was analysed. */
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

/** Where a node stands in its definition, whatever its tree begins with. */
const within = (definition: Definition, { pointer }: LocatedNode): string =>
  pointer.slice(definition.node.pointer.length);

/** Whether a switch beside the query is on. */
export const isOn = ({ around }: QuerySite, names: string | readonly string[] | undefined): boolean =>
  [names ?? []].flat().some((name) => around !== null && memberOf(around, name)?.value?.scalar === true);
