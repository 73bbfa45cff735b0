/**
 * Plans steps of a resource that also apply when its actionables run for another resource or in the background. Guards are not
 * among them, because the checker reports actionables that bypass one.
 */
import { ResourcePhase } from '../../contract/slot.js';
import type { Step } from '../../contract/plan.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { planFeatures } from './action.js';
import { emptyDraft, type Draft } from './draft.js';
import { stepsBetween } from './steps.js';
import type { ResourceScope } from './tools.js';

/** Values of the fact `holds`. `work`: also whenever background or scheduled work starts. */
type Holds = 'requests' | 'work';

/** Adds the steps and guards of the other resources. */
export function planHeld(scope: ResourceScope, actions: readonly ActionModel[], draft: Draft): void {
  for (const resource of ownersOf(scope, actions)) {
    if (resource === scope.resource) continue;
    const held = draftHeld(scope, resource, ['requests', 'work']);
    draft.steps.push(...held.steps.map((step): Step => ({ ...step, id: `${step.id} of ${resource.id}` })));
    draft.guards.push(...held.guards.map((guard) => `${guard} of ${resource.id}`));
  }
}

/** The steps that run whenever background work starts. */
export function heldWork(scope: ResourceScope, actions: readonly ActionModel[]): readonly Step[] | null {
  const steps = ownersOf(scope, actions).flatMap((resource) => draftHeld(scope, resource, ['work']).steps);
  return stepsBetween(steps, ResourcePhase.ADMIT, ResourcePhase.REPLY - 1);
}

function ownersOf({ resources }: ResourceScope, actions: readonly ActionModel[]): ResourceModel[] {
  const ids = new Set(actions.map(({ resource }) => resource));
  return [...ids].flatMap((id) => resources.get(id) ?? []);
}

function draftHeld(scope: ResourceScope, resource: ResourceModel, when: readonly Holds[]): Draft {
  const draft = emptyDraft();
  const places = resource.places.filter(({ plugin }) =>
    when.some((one) => scope.registry.plugins.get(plugin)?.facts?.['holds'] === one),
  );
  planFeatures({ ...scope, resource }, null, places, draft);
  return draft;
}
