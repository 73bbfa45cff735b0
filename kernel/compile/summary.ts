/** What people are told of a plan: its steps and groups by name, and a body that passes its rules. No values, no closures. */
import { isObject, type Json } from '../contract/json.js';
import { ResourcePhase } from '../contract/slot.js';
import type { Step } from '../contract/plan.js';
import type { ActionModel, ResourceModel } from '../analysis/model.js';
import type { ActionGroup } from './plan.js';
import { stepsBetween } from './steps.js';
import type { ResourceScope } from './tools.js';

/** What the rules say passes, and any text where only an accessor asks for a value. */
export function sampleOf(ruled: Readonly<Record<string, Json>>, needed: ResourceScope['needed']): Json {
  const sample: Record<string, Json> = { ...ruled };
  for (const [root, ...rest] of needed) {
    if (root === undefined) continue;
    // What the rules gave is right; only an object may still lack something inside.
    if (Object.hasOwn(ruled, root) && !(rest.length > 0 && isObject(ruled[root]))) continue;
    sample[root] = withText(sample[root], rest);
  }
  return sample;
}

function withText(known: Json | undefined, [segment, ...rest]: readonly string[]): Json {
  // A list has its items from the rules.
  if (segment === undefined || Array.isArray(known)) return known ?? 'text';
  const object = isObject(known) ? known : {};
  return { ...object, [segment]: withText(object[segment], rest) };
}

export function describe(
  resource: ResourceModel,
  steps: readonly Step[],
  groups: readonly ActionGroup[],
  main: number,
  sequence: readonly ActionModel[],
): Json {
  const names = (from: number, to: number): string[] => (stepsBetween(steps, from, to) ?? []).map((step) => step.id);
  return {
    id: resource.id,
    path: resource.path,
    file: resource.definition.doc.file,
    admit: names(ResourcePhase.ADMIT, ResourcePhase.CHECK - 1),
    check: names(ResourcePhase.CHECK, ResourcePhase.REPLY - 1),
    run: groups.map((group) => ({
      together: group.parallel ? 'at once' : (group.unit?.key ?? null),
      actions: group.actions.map((action) => ({
        key: action.key,
        mode: action.mode,
        before: (action.before ?? []).map((step) => step.id),
        execute: action.describe,
        after: (action.after ?? []).map((step) => step.id),
      })),
    })),
    main: sequence[main]?.key ?? null,
    reply: names(ResourcePhase.REPLY, ResourcePhase.SETTLE - 1),
    settle: names(ResourcePhase.SETTLE, Infinity),
  };
}
