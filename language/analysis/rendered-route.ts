/** Finds plans of which the response is text that the store wrote. */
import type { ModePlan, ResultCopy } from '../../contract/plan.js';
import type { ActionPlan, ResourcePlan } from '../../contract/resource-plan.js';

export type ReplyRoute = Pick<ResourcePlan, 'groups' | 'reply' | 'settle' | 'main'>;

const isSame = (picks: readonly string[] | undefined, names: readonly string[] | null): boolean =>
  picks !== undefined && names !== null && picks.join() === names.join();

type Rendered = Pick<ModePlan, 'renders' | 'passes'>;

const hasOnlyCopies = ({ before }: ActionPlan): boolean => before?.every((step) => step.copies !== undefined) ?? true;

/** The actionable with the result that the last one passes on unchanged: itself, or the one before. */
function findSource(
  actions: readonly ActionPlan[],
  compiled: readonly (Rendered | undefined)[],
): ActionPlan | undefined {
  const [before, last] = actions.slice(-2);
  const slot = compiled[actions.at(-1)?.index ?? -1]?.passes;
  if (slot === undefined || slot === null) return actions.at(-1);
  const isPassed = ({ source, path, slot: to }: ResultCopy): boolean =>
    source === before?.index && path.length === 0 && to === slot;
  const read = last?.before?.flatMap((step) => step.copies ?? []) ?? [];
  return last !== undefined && hasOnlyCopies(last) && read.length === 1 && read.every(isPassed) ? before : undefined;
}

/** Lets a mode return JSON text when the resource only selects names of its result. Returns the route unchanged otherwise. */
export function renderJsonText(
  route: ReplyRoute,
  compiled: readonly (Rendered | undefined)[],
): Pick<ReplyRoute, 'groups' | 'reply'> {
  const { groups, reply, settle, main } = route;
  const actions = groups.flatMap((group) => group.actions);
  const source = findSource(actions, compiled);
  const group = groups.find((one) => source !== undefined && one.actions.at(-1) === source);
  const renders = compiled[source?.index ?? -1]?.renders;
  if (source === undefined || group === undefined || renders === undefined) return route;
  if (groups.some(({ parallel }) => parallel) || actions.at(-1)?.index !== main || !hasOnlyCopies(source)) return route;
  if (settle?.some(({ takesText }) => takesText !== true) === true) return route;
  const changed = actions.slice(actions.indexOf(source));
  const after = changed.flatMap((action) => action.after ?? []);
  const steps = [...after.filter(({ takesText }) => takesText !== true), ...(reply ?? [])];
  const names = steps[0]?.picks ?? null;
  if (steps.some(({ picks }) => !isSame(picks, names))) return route;
  const [hide = null, another] = steps.flatMap(({ hides }) => hides ?? []);
  if (another !== undefined) return route;
  const execute = renders(names, hide, settle === null && group.unit === null, group.unit !== null);
  if (execute === null) return route;
  const render = (action: ActionPlan): ActionPlan => {
    const kept = action.after?.filter(({ takesText }) => takesText === true) ?? [];
    const own = { ...action, after: kept.length === 0 ? null : kept };
    return changed.includes(action) ? Object.freeze(action === source ? { ...own, execute } : own) : action;
  };
  const rendered = groups.map((one) => Object.freeze({ ...one, actions: Object.freeze(one.actions.map(render)) }));
  return { groups: Object.freeze(rendered), reply: null };
}
