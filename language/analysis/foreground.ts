/** Partitions the actionables of a resource into foreground, background and scheduled work, at load time. */
import { asText, isObject, type Json } from '../../contract/json.js';
import type { PayloadForm } from '../../contract/part.js';
import type { ActionModel, ResourceModel } from './model.js';
import { isInside } from './report.js';
import { orderWithDependencies } from './running-order.js';
import type { Registry } from './registry.js';

/** Actionables that run together outside the response. */
export interface PartitionPart {
  /** The key of the last root. */
  readonly key: string;
  /** In running order, with dependencies. */
  readonly actions: readonly ActionModel[];
  readonly scheduled: boolean;
  /** Accepted first, then run in the background. */
  readonly later: boolean;
}

export interface ActionPartition {
  /** In the foreground, in running order. */
  readonly now: readonly ActionModel[];
  readonly parts: readonly PartitionPart[];
  /** The response only states that the work was accepted. */
  readonly accepted: boolean;
}

/** True if the actionable needs data that only the live request has. */
export const createImmediateTest =
  ({ plugins }: Registry) =>
  ({ places, node }: ActionModel): boolean =>
    places.some((place) => place.node === node && plugins.get(place.plugin)?.facts?.immediate === true);

/** `immediate`: actions that run in the foreground even if they are declared as deferred. */
export function partitionActions(
  actions: readonly ActionModel[],
  dependencies: (action: ActionModel) => readonly ActionModel[],
  immediate: (action: ActionModel) => boolean,
): ActionPartition {
  const orderActions = (roots: readonly ActionModel[]): ActionModel[] => orderWithDependencies(roots, dependencies);
  const begun = actions.filter(isStartedByRequest);
  const isLater = (action: ActionModel): boolean => action.timing.later && !immediate(action);
  const now = orderActions(begun.filter((action) => !isLater(action)));
  const known = new Set(now);
  const later = begun.filter((action) => isLater(action) && !known.has(action));
  const parts = groupDeferred(later, orderActions).map((roots): PartitionPart => {
    const members = orderActions(roots).filter((action) => !known.has(action));
    return { key: roots.at(-1)?.key ?? '', actions: members, scheduled: false, later: true };
  });
  const scheduled = actions.filter(({ noOp, timing }) => !noOp && timing.scheduled);
  return {
    now,
    parts: [
      ...parts,
      ...scheduled.map((root) => ({
        key: root.key,
        actions: orderActions([root]),
        scheduled: true,
        later: root.timing.later,
      })),
    ],
    accepted: later.some(({ timing }) => !timing.own),
  };
}

/** Null if nothing produces the response or it only states acceptance. */
export function findMainAction(
  actions: readonly ActionModel[],
  { now, accepted }: ActionPartition,
): ActionModel | null {
  if (accepted) return null;
  const answering = actions.filter((action) => now.includes(action));
  return answering.find(({ main }) => main) ?? answering.filter(isStartedByRequest).at(-1) ?? null;
}

/** False for work that runs only as a dependency or on a schedule. */
const isStartedByRequest = ({ noOp, timing }: ActionModel): boolean => !noOp && !timing.scheduled;

/** Work that the resource defers is one part; a self-deferred actionable joins only parts linked by dependencies. */
function groupDeferred(
  roots: readonly ActionModel[],
  order: (roots: readonly ActionModel[]) => readonly ActionModel[],
): ActionModel[][] {
  const parts: ActionModel[][] = [];
  for (const root of roots) {
    const needs = new Set(order([root]));
    const isLinkedTo = (part: readonly ActionModel[]): boolean =>
      part.some((member) => needs.has(member) || (!member.timing.own && !root.timing.own));
    const joined = parts.filter(isLinkedTo);
    const members = [...joined.flat(), root];
    for (const part of joined) parts.splice(parts.indexOf(part), 1);
    parts.push(roots.filter((one) => members.includes(one)));
  }
  return parts;
}

/** Protections of these actionables, and canonical forms of the resource's rules. */
export function listPayloadForms({ definition }: ResourceModel, actions: readonly ActionModel[]): PayloadForm[] {
  const definitions = new Set([definition, ...actions.map((action) => action.definition)]);
  const secrets = actions.flatMap(({ definition: { finds }, node }) =>
    finds.declarations.filter(({ symbol, spot }) => symbol === 'secret' && isInside(spot, node)),
  );
  const rules = [...definitions].flatMap(({ finds }) =>
    finds.declarations.filter(({ symbol }) => symbol === 'payload-field'),
  );
  return [
    ...secrets.map(({ name }) => ({ path: name, label: `protected payload:${name}` })),
    ...rules.flatMap(({ name, value }) => listCanonicalForms(name, value)),
  ];
}

function listCanonicalForms(path: string, rule: Json): PayloadForm[] {
  if (!isObject(rule)) return [];
  const forms = [rule['canonical'] ?? []].flat().map(asText).sort();
  const inside = isObject(rule['fields']) ? Object.entries(rule['fields']) : [];
  return [
    ...(forms.length > 0 ? [{ path, label: `canonical payload:${path} (${forms.join(', ')})` }] : []),
    ...inside.flatMap(([name, value]) => listCanonicalForms(`${path}.${name}`, value)),
  ];
}
