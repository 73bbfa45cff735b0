/** Name sources: ids of actionables, and names in their results. */
import type { ActionModel, Definition } from '../../../language/analysis/model.js';
import { isInside } from '../../../language/analysis/report.js';
import { findMember, type LocatedNode } from '../../../language/source/tree.js';
import { suggestDeclared } from './definition-names.js';
import {
  listDefinitions,
  getDefinitionId,
  formatShort,
  getMemberText,
  uniqueNames,
  type Name,
  type NameSourceInput,
  type NameSource,
} from './name-source.js';

/** Ids in the resource named by the sibling field; `self` is the resource at the cursor. */
export const suggestActions: NameSource = (place) => {
  const { site, within, findSibling } = place;
  const named = within === undefined ? 'self' : String(findSibling(within)?.scalar ?? 'self');
  const owner =
    named === 'self'
      ? site.definition
      : listDefinitions(place).find((one) => one.sort === 'resource' && getDefinitionId(one) === named);
  if (owner === null || owner === undefined) return [];
  const around = owner === site.definition ? toNodeSet(site.levels.map(({ node }) => node)) : new Set();
  return actionNodes(owner).flatMap((node) => {
    const id = findMember(node, 'id')?.value;
    if (id?.type !== 'number' || around.has(node)) return [];
    return [{ name: Number(id.scalar), detail: summarizeAction(owner, node) }];
  });
};

const toNodeSet = (nodes: readonly (LocatedNode | null)[]): ReadonlySet<LocatedNode | null> => new Set(nodes);

const actionNodes = ({ node }: Definition): readonly LocatedNode[] =>
  findMember(node, 'actionables')?.value?.items ?? [];

/** Mode and the start of the query. */
function summarizeAction({ finds }: Definition, node: LocatedNode): string {
  const [statement] = finds.statements.filter((one) => isInside(one.node, node));
  const [query] = finds.documents.filter((one) => isInside(one.node, node));
  const text = statement === undefined ? (query?.collection ?? '') : formatShort(String(statement.node.scalar), 48);
  return [getMemberText(node, 'mode'), text].filter((part) => part !== '').join(' · ');
}

/**
 * Result names: of the actionables listed in the same object (`depends_on`), else of the actionable at the cursor, else of all in
 * the resource.
 */
export const suggestResultNames: NameSource = (place) => {
  const { view, site } = place;
  const { resources } = view.project.getRecentSnapshot().analysis;
  const own = site.definition === null ? undefined : getDefinitionId(site.definition);
  const all = resources.find(({ id }) => id === own)?.actions ?? [];
  const here = findActionAround(place);
  const named = findReferencedActions(place);
  if (named !== null) return uniqueNames(named.flatMap((action) => listActionOutputs(place, action)));
  const asked = here === null ? all : all.filter(({ id }) => String(id) === getMemberText(here, 'id'));
  const given = here === null ? [...suggestDeclared('name')(place), ...suggestDeclared('generated')(place)] : [];
  return uniqueNames([...given, ...asked.flatMap((action) => listActionOutputs(place, action))]);
};

function findActionAround({ site: { definition, levels } }: NameSourceInput): LocatedNode | null {
  if (definition === null) return null;
  const nodes = actionNodes(definition);
  return levels.map(({ node }) => node).find((node) => node !== null && nodes.includes(node)) ?? null;
}

/** The actionables that the nearest enclosing object references; null if there are none. */
function findReferencedActions({ view, site }: NameSourceInput): readonly ActionModel[] | null {
  const { definition, levels } = site;
  const references = definition?.finds.references.filter(({ refers }) => refers.symbol === 'action') ?? [];
  const holders = levels.flatMap(({ node }) => (node?.type === 'object' ? [node] : []));
  // The cursor may be in a sibling list, so the object around both is used.
  const around = holders.findLast((holder) => references.some(({ node }) => isInside(node, holder)));
  if (around === undefined || definition === null || around === definition.node) return null;
  const found = references.filter(({ node }) => isInside(node, around));
  const { resources } = view.project.getRecentSnapshot().analysis;
  return found.flatMap(({ name, within }) => {
    const owner = within === null || within.name === 'self' ? getDefinitionId(definition) : within.name;
    const actions = resources.find(({ id }) => id === owner)?.actions ?? [];
    return actions.filter(({ id }) => id === name);
  });
}

/** The known result names; otherwise the fields of the actionable's models. */
function listActionOutputs({ view }: NameSourceInput, action: ActionModel): Name[] {
  const { models } = view.project.getRecentSnapshot().analysis;
  const outputs = action.places.flatMap(({ plugin }) => view.registry.plugins.get(plugin)?.facts?.outputs ?? []);
  const certain = outputs.length > 0 ? outputs : action.answers;
  const detail = `of actionable ${action.id}`;
  if (certain !== null && certain.length > 0) return certain.map((name) => ({ name, detail }));
  return models
    .filter(({ name }) => action.models.includes(name))
    .flatMap(({ name: model, fields }) =>
      fields.map(({ name }) => ({ name, detail: `${detail} · field of ${model}` })),
    );
}
