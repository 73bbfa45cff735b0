/** Lets a mode return JSON text when the resource only selects names of its result. Resolved at load. */
import type { ModePlan, Step } from '../../contract/plan.js';
import type { ActionGroup } from './plan.js';

export interface ReplyRoute {
  readonly groups: readonly ActionGroup[];
  readonly reply: readonly Step[] | null;
  readonly settle: readonly Step[] | null;
  readonly main: number;
}

const isSame = (picks: readonly string[] | undefined, names: readonly string[] | null): boolean =>
  picks !== undefined && names !== null && picks.join() === names.join();

/** Returns the route unchanged where this is impossible. */
export function renderJsonText(route: ReplyRoute, renders: ModePlan['renders']): Pick<ReplyRoute, 'groups' | 'reply'> {
  const { groups, reply, settle, main } = route;
  const [group] = groups;
  const [action] = group?.actions ?? [];
  if (group === undefined || action === undefined || renders === undefined) return route;
  const alone = groups.length === 1 && group.actions.length === 1 && group.unit === null;
  if (!alone || action.index !== main || action.before !== null) return route;
  if (settle?.some(({ takesText }) => takesText !== true) === true) return route;
  const steps = [...(action.after ?? []), ...(reply ?? [])];
  const names = steps[0]?.picks ?? null;
  if (steps.some(({ picks }) => !isSame(picks, names))) return route;
  const [hide = null, another] = steps.flatMap(({ hides }) => hides ?? []);
  if (another !== undefined) return route;
  const execute = renders(names, hide);
  if (execute === null) return route;
  const actions = Object.freeze([Object.freeze({ ...action, execute, after: null })]);
  return { groups: Object.freeze([Object.freeze({ ...group, actions })]), reply: null };
}
