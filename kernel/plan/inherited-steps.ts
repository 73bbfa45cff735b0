/**
 * Plans steps of a resource that also apply when its actionables run for another resource or in the background. Guards are not
 * among them, because the checker reports actionables that bypass one.
 */
import { ResourcePhase } from '../../contract/slot.js';
import type { Step } from '../../contract/plan.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { planFeatures } from './action.js';
import { Draft } from '../../language/analysis/draft.js';
import { selectSteps } from '../../contract/steps.js';
import type { ResourceScope } from './tools.js';

/** Values of the fact `holds`. `work`: also whenever background or scheduled work starts. */
type Holds = 'requests' | 'work';

export function planInheritedSteps(scope: ResourceScope, actions: readonly ActionModel[], draft: Draft): void {
  for (const resource of findOwners(scope, actions)) {
    if (resource === scope.resource) continue;
    const held = draftInheritedSteps(scope, resource, ['requests', 'work']);
    draft.steps.push(...held.steps.map((step): Step => ({ ...step, id: `${step.id} of ${resource.id}` })));
    draft.guards.push(...held.guards.map((guard) => `${guard} of ${resource.id}`));
  }
}

/** The steps that run whenever background work starts. */
export function listInheritedWork(scope: ResourceScope, actions: readonly ActionModel[]): readonly Step[] | null {
  const steps = findOwners(scope, actions).flatMap((resource) => draftInheritedSteps(scope, resource, ['work']).steps);
  return selectSteps(steps, ResourcePhase.ADMIT, ResourcePhase.REPLY - 1);
}

function findOwners({ resources }: ResourceScope, actions: readonly ActionModel[]): ResourceModel[] {
  const ids = new Set(actions.map(({ resource }) => resource));
  return [...ids].flatMap((id) => resources.get(id) ?? []);
}

function draftInheritedSteps(scope: ResourceScope, resource: ResourceModel, when: readonly Holds[]): Draft {
  const draft = new Draft();
  const places = resource.places.filter(({ plugin }) =>
    when.some((one) => scope.registry.plugins.get(plugin)?.facts?.holds === one),
  );
  planFeatures({ ...scope, resource }, null, places, draft);
  return draft;
}
