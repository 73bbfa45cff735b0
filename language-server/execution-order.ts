/** When each actionable of a resource runs: `1st`, `2nd, together with 3`. */
import { partitionActions, createImmediateTest } from '../language/analysis/foreground.js';
import type { ActionModel, ResourceModel } from '../language/analysis/model.js';
import type { DocumentContext } from './document-context.js';

/** Descriptions by key; omits actionables of other resources. */
export function describeExecutionOrder(view: DocumentContext, resource: ResourceModel): ReadonlyMap<string, string> {
  const all = new Map(view.analysis.resources.flatMap(({ actions }) => actions.map((one) => [one.key, one] as const)));
  const division = partitionActions(
    resource.actions,
    ({ depends }) => depends.flatMap((key) => all.get(key) ?? []),
    createImmediateTest(view.registry),
  );
  const turns = new Map<string, string[]>();
  const addDescription = (action: ActionModel, words: string): void => {
    if (action.resource === resource.id) turns.set(action.key, [...(turns.get(action.key) ?? []), words]);
  };
  for (const [group, place] of groupParallel(division.now))
    for (const one of group) addDescription(one, formatOrdinal(place) + formatParallelPeers(one, group));
  for (const { actions, scheduled } of division.parts) {
    const when = scheduled ? 'by the clock' : 'behind the answer';
    const groups = groupParallel(actions);
    for (const [group, place] of groups) {
      const turn = groups.length > 1 ? `${formatOrdinal(place)} ` : '';
      for (const one of group) addDescription(one, `${turn}${when}${formatParallelPeers(one, group)}`);
    }
  }
  return new Map(resource.actions.map(({ key }) => [key, turns.get(key)?.join('; ') ?? 'only when needed']));
}

function groupParallel(order: readonly ActionModel[]): [group: readonly ActionModel[], place: number][] {
  const groups: ActionModel[][] = [];
  for (const action of order) {
    const last = groups.at(-1);
    if (action.parallel && last?.at(-1)?.parallel === true) last.push(action);
    else groups.push([action]);
  }
  return groups.map((group, i) => [group, i + 1]);
}

function formatParallelPeers(action: ActionModel, group: readonly ActionModel[]): string {
  const others = group.filter((one) => one !== action);
  if (others.length === 0) return '';
  const formatActionName = (one: ActionModel): string => (one.resource === action.resource ? String(one.id) : one.key);
  return `, together with ${others.map(formatActionName).join(', ')}`;
}

function formatOrdinal(place: number): string {
  const tens = place % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${ending}`;
}
