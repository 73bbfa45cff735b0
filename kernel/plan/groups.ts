/** Groups adjacent actionables at load: shared transactions, parallel ones, and single ones. */
import type { ActionGroup, ActionPlan } from '../../contract/resource-plan.js';

const listHolders = (members: readonly ActionPlan[]): ActionPlan[] => members.filter(({ unit }) => unit !== null);

/** Dependencies among the members with a unit, as indexes into their list; also those through a member without one. */
function indexNeeds(members: readonly ActionPlan[], needs: readonly (readonly number[])[]): number[][] {
  const holders = listHolders(members);
  const place = new Map(holders.map(({ index }, at) => [index, at]));
  const between = new Set(members.flatMap(({ unit, index }) => (unit === null ? [index] : [])));
  const resolve = (index: number): number[] =>
    (needs[index] ?? []).flatMap((other) => (between.has(other) ? resolve(other) : (place.get(other) ?? [])));
  return holders.map(({ index }) => [...new Set(resolve(index))]);
}

/** None of its steps after the work can fail. */
const isInfallible = (action: ActionPlan | undefined): boolean =>
  action?.after?.every((step) => step.total === true) ?? true;

export function groupActions(
  actions: readonly ActionPlan[],
  alone: boolean,
  needs: readonly (readonly number[])[],
  /** Whether other work, such as accepting a job, commits with the last or each group. */
  rides: 'none' | 'last' | 'each' = 'none',
): ActionGroup[] {
  const groups: { readonly parallel: boolean; readonly key: string | null; readonly actions: ActionPlan[] }[] = [];
  const isSeparate = ({ parallel, apart }: ActionPlan): boolean => parallel || alone || apart;
  /** What only computes a value between two queries of one unit does not end it: the second may write what it computed. */
  const isBetween = (action: ActionPlan): boolean => action.passive && action.unit === null && !isSeparate(action);
  for (const [at, action] of actions.entries()) {
    const { parallel } = action;
    const last = groups.at(-1);
    const next = isBetween(action) ? actions.slice(at + 1).find((other) => !isBetween(other)) : action;
    const found = next === undefined || isSeparate(next) ? null : (next.unit?.key ?? null);
    const key = next === action || found === last?.key ? found : null;
    const joins = last !== undefined && (parallel ? last.parallel : key !== null && last.key === key);
    if (joins) last.actions.push(action);
    else groups.push({ parallel, key, actions: [action] });
  }
  return groups.map(({ parallel, actions: members }, at) => {
    const units = members.flatMap((action) => action.unit ?? []);
    const [first] = units;
    // Parallel actionables have separate units, if any.
    const atOnce = parallel && members.length > 1;
    const carries = rides === 'each' || (rides === 'last' && at === groups.length - 1);
    const wanted = !atOnce && (carries || members.length > 1 || members.some((action) => action.always));
    const closing = !carries && isInfallible(members.at(-1));
    const unit =
      first !== undefined && wanted
        ? first.join(units, closing, indexNeeds(members, needs), listHolders(members))
        : null;
    // Acquire only one limiter per transaction: acquiring two could deadlock.
    const turns = unit === null ? null : (members.find((action) => action.turns !== null)?.turns ?? null);
    return Object.freeze({ unit, parallel: atOnce, turns, actions: Object.freeze(members) });
  });
}
