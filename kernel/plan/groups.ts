/** Groups adjacent actionables at load: shared transactions, parallel ones, and single ones. */
import type { ActionGroup, ActionPlan } from './plan.js';

interface OpenGroup {
  readonly parallel: boolean;
  readonly key: string | null;
  readonly actions: ActionPlan[];
}

/** Dependencies as indexes into `members`. */
function indexNeeds(members: readonly ActionPlan[], needs: readonly (readonly number[])[]): number[][] {
  const place = new Map(members.map(({ index }, at) => [index, at]));
  return members.map(({ index }) => (needs[index] ?? []).flatMap((other) => place.get(other) ?? []));
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
    // Parallel actionables have separate units, if any.
    const atOnce = parallel && members.length > 1;
    const carries = rides === 'each' || (rides === 'last' && at === groups.length - 1);
    const wanted = !atOnce && (carries || members.length > 1 || members.some((action) => action.always));
    const closing = !carries && isInfallible(members.at(-1));
    const unit = first !== undefined && wanted ? first.join(units, closing, indexNeeds(members, needs)) : null;
    // Acquire only one limiter per transaction: acquiring two could deadlock.
    const turns = unit === null ? null : (members.find((action) => action.turns !== null)?.turns ?? null);
    return Object.freeze({ unit, parallel: atOnce, turns, actions: Object.freeze(members) });
  });
}
