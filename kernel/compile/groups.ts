/**
 * Which actionables run together, settled at load: neighbours that share a unit of work, neighbours that run at once, and
 * those that stand for themselves. Nothing runs here.
 */
import type { ActionGroup, ActionPlan } from './plan.js';

interface OpenGroup {
  readonly parallel: boolean;
  readonly key: string | null;
  readonly actions: ActionPlan[];
}

/** Dependencies among the members, as places among them. */
function needsWithin(members: readonly ActionPlan[], needs: readonly (readonly number[])[]): number[][] {
  const place = new Map(members.map(({ index }, at) => [index, at]));
  return members.map(({ index }) => (needs[index] ?? []).flatMap((other) => place.get(other) ?? []));
}

/** Once its work is done, nothing of this actionable can fail any more. */
const isTotal = (action: ActionPlan | undefined): boolean =>
  action?.after?.every((step) => step.total === true) ?? true;

/** Neighbours with one unit of work share it; parallel neighbours run at once; anything else stands for itself. */
export function groupActions(
  actions: readonly ActionPlan[],
  alone: boolean,
  needs: readonly (readonly number[])[],
  /** Something is to be made durable together with the last group, or with each of them. */
  rides: 'none' | 'last' | 'each' = 'none',
): ActionGroup[] {
  const groups: OpenGroup[] = [];
  for (const action of actions) {
    const { parallel, apart } = action;
    const key = parallel || alone || apart ? null : (action.unit?.key ?? null);
    const last = groups.at(-1);
    const joins = last !== undefined && (parallel ? last.parallel : key !== null && last.key === key);
    if (joins) last.actions.push(action);
    else groups.push({ parallel, key, actions: [action] });
  }
  return groups.map(({ parallel, actions: members }, at) => {
    const units = members.flatMap((action) => action.unit ?? []);
    const [first] = units;
    // Those that run at once have units of their own, if any.
    const atOnce = parallel && members.length > 1;
    const carries = rides === 'each' || (rides === 'last' && at === groups.length - 1);
    const wanted = !atOnce && (carries || members.length > 1 || members.some((action) => action.always));
    const closing = !carries && isTotal(members.at(-1));
    const unit = first !== undefined && wanted ? first.join(units, closing, needsWithin(members, needs)) : null;
    // One sort bounds the unit; two that wait for each other would never end.
    const turns = unit === null ? null : (members.find((action) => action.turns !== null)?.turns ?? null);
    return Object.freeze({ unit, parallel: atOnce, turns, actions: Object.freeze(members) });
  });
}
