/**
 * Which actionables of a resource are done for the answer, which behind it, and which by the clock; settled at load.
 * Nothing is compiled here.
 */
import type { ActionModel } from './model.js';
import { closureOf } from './order.js';
import type { Registry } from './registry.js';

/** Actionables that are done together, apart from the answer. */
export interface PartModel {
  /** Key of the last one: the name of the part. */
  readonly key: string;
  /** In the order in which they run, with what they depend on. */
  readonly actions: readonly ActionModel[];
  /** Begun by the clock. */
  readonly scheduled: boolean;
  /** Accepted first, then done. */
  readonly later: boolean;
}

export interface Division {
  /** Done for the answer, in running order. */
  readonly now: readonly ActionModel[];
  readonly parts: readonly PartModel[];
  /** The answer says that the work was accepted, and nothing else. */
  readonly accepted: boolean;
}

/** Takes what only the request has. */
export const immediateIn =
  ({ plugins }: Registry) =>
  ({ places, node }: ActionModel): boolean =>
    places.some((place) => place.node === node && plugins.get(place.plugin)?.facts?.['immediate'] === true);

/** `immediate`: what has to be done while the request is there, whatever else is said. */
export function divide(
  actions: readonly ActionModel[],
  dependencies: (action: ActionModel) => readonly ActionModel[],
  immediate: (action: ActionModel) => boolean,
): Division {
  const order = (roots: readonly ActionModel[]): ActionModel[] => closureOf(roots, dependencies);
  const begun = actions.filter(isBegun);
  const isLater = (action: ActionModel): boolean => action.timing.later && !immediate(action);
  const now = order(begun.filter((action) => !isLater(action)));
  const known = new Set(now);
  const later = begun.filter((action) => isLater(action) && !known.has(action));
  const parts = together(later, order).map((roots): PartModel => {
    const members = order(roots).filter((action) => !known.has(action));
    return { key: roots.at(-1)?.key ?? '', actions: members, scheduled: false, later: true };
  });
  const scheduled = actions.filter(({ noOp, timing }) => !noOp && timing.scheduled);
  return {
    now,
    parts: [
      ...parts,
      ...scheduled.map((root) => ({
        key: root.key,
        actions: order([root]),
        scheduled: true,
        later: root.timing.later,
      })),
    ],
    accepted: later.some(({ timing }) => !timing.own),
  };
}

/** The actionable whose result is the answer; null where there is none, or the answer only says that work was accepted. */
export function mainOf(actions: readonly ActionModel[], { now, accepted }: Division): ActionModel | null {
  if (accepted) return null;
  const answering = actions.filter((action) => now.includes(action));
  return answering.find(({ main }) => main) ?? answering.filter(isBegun).at(-1) ?? null;
}

/** A request begins it; it is not there only because others need it. */
const isBegun = ({ noOp, timing }: ActionModel): boolean => !noOp && !timing.scheduled;

/** What the resource puts off is one part; what an actionable puts off is one by itself, with those that depend on it. */
function together(
  roots: readonly ActionModel[],
  order: (roots: readonly ActionModel[]) => readonly ActionModel[],
): ActionModel[][] {
  const parts: ActionModel[][] = [];
  for (const root of roots) {
    const needs = new Set(order([root]));
    const joins = (part: readonly ActionModel[]): boolean =>
      part.some((member) => needs.has(member) || (!member.timing.own && !root.timing.own));
    const joined = parts.filter(joins);
    const members = [...joined.flat(), root];
    for (const part of joined) parts.splice(parts.indexOf(part), 1);
    parts.push(roots.filter((one) => members.includes(one)));
  }
  return parts;
}
