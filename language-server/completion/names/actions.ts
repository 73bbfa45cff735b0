/** Name sources: ids of actionables, and names in their results. */
import type { ActionModel, Definition } from '../../../language/analysis/model.js';
import { inside } from '../../../language/analysis/report.js';
import { memberOf, type LocatedNode } from '../../../language/source/tree.js';
import { declaredHere } from './own.js';
import {
  definitionsAround,
  idOf,
  inShort,
  textIn,
  uniqueNames,
  type Name,
  type NamePlace,
  type NameSource,
} from './place.js';

/** Ids in the resource named by the sibling field; `self` is the resource at the cursor. */
export const actions: NameSource = (place) => {
  const { site, within, sibling } = place;
  const named = within === undefined ? 'self' : String(sibling(within)?.scalar ?? 'self');
  const owner =
    named === 'self'
      ? site.definition
      : definitionsAround(place).find((one) => one.sort === 'resource' && idOf(one) === named);
  if (owner === null || owner === undefined) return [];
  const around = owner === site.definition ? aroundCaret(site.levels.map(({ node }) => node)) : new Set();
  return actionNodes(owner).flatMap((node) => {
    const id = memberOf(node, 'id')?.value;
    if (id?.type !== 'number' || around.has(node)) return [];
    return [{ name: Number(id.scalar), detail: summaryOf(owner, node) }];
  });
};

const aroundCaret = (nodes: readonly (LocatedNode | null)[]): ReadonlySet<LocatedNode | null> => new Set(nodes);

const actionNodes = ({ node }: Definition): readonly LocatedNode[] => memberOf(node, 'actionables')?.value?.items ?? [];

/** Mode and the start of the query. */
function summaryOf({ finds }: Definition, node: LocatedNode): string {
  const [statement] = finds.statements.filter((one) => inside(one.node, node));
  const [query] = finds.documents.filter((one) => inside(one.node, node));
  const text = statement === undefined ? (query?.collection ?? '') : inShort(String(statement.node.scalar), 48);
  return [textIn(node, 'mode'), text].filter((part) => part !== '').join(' · ');
}

/**
 * Result names: of the actionables listed in the same object (`depends_on`), else of the actionable at the cursor, else of all in
 * the resource.
 */
export const resultNames: NameSource = (place) => {
  const { view, site } = place;
  const { resources } = view.project.recent().analysis;
  const own = site.definition === null ? undefined : idOf(site.definition);
  const all = resources.find(({ id }) => id === own)?.actions ?? [];
  const here = actionAround(place);
  const named = namedBeside(place);
  if (named !== null) return uniqueNames(named.flatMap((action) => answersOf(place, action)));
  const asked = here === null ? all : all.filter(({ id }) => String(id) === textIn(here, 'id'));
  const given = here === null ? [...declaredHere('name')(place), ...declaredHere('generated')(place)] : [];
  return uniqueNames([...given, ...asked.flatMap((action) => answersOf(place, action))]);
};

function actionAround({ site: { definition, levels } }: NamePlace): LocatedNode | null {
  if (definition === null) return null;
  const nodes = actionNodes(definition);
  return levels.map(({ node }) => node).find((node) => node !== null && nodes.includes(node)) ?? null;
}

/** The actionables that the nearest enclosing object references; null if there are none. */
function namedBeside({ view, site }: NamePlace): readonly ActionModel[] | null {
  const { definition, levels } = site;
  const references = definition?.finds.references.filter(({ refers }) => refers.symbol === 'action') ?? [];
  const holders = levels.flatMap(({ node }) => (node?.type === 'object' ? [node] : []));
  // The cursor may be in a sibling list, so the object around both is used.
  const around = holders.findLast((holder) => references.some(({ node }) => inside(node, holder)));
  if (around === undefined || definition === null || around === definition.node) return null;
  const found = references.filter(({ node }) => inside(node, around));
  const { resources } = view.project.recent().analysis;
  return found.flatMap(({ name, within }) => {
    const owner = within === null || within.name === 'self' ? idOf(definition) : within.name;
    const actions = resources.find(({ id }) => id === owner)?.actions ?? [];
    return actions.filter(({ id }) => id === name);
  });
}

/** The known result names; otherwise the fields of the actionable's models. */
function answersOf({ view }: NamePlace, action: ActionModel): Name[] {
  const { models } = view.project.recent().analysis;
  const outputs = action.places.flatMap(({ plugin }) => {
    const fact = view.registry.plugins.get(plugin)?.facts?.['outputs'];
    return Array.isArray(fact) ? (fact as readonly string[]) : [];
  });
  const certain = outputs.length > 0 ? outputs : action.answers;
  const detail = `of actionable ${action.id}`;
  if (certain !== null && certain.length > 0) return certain.map((name) => ({ name, detail }));
  return models
    .filter(({ name }) => action.models.includes(name))
    .flatMap(({ name: model, fields }) =>
      fields.map(({ name }) => ({ name, detail: `${detail} · field of ${model}` })),
    );
}
