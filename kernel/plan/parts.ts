/** Compiles deferred and scheduled parts of a resource. Each part has its own action plans. */
import { BootError } from '../../contract/boot-error.js';
import type { Deferral, Inbox, Schedule } from '../../contract/deferred.js';
import type { MergedDeferral, PartSource, PartStep } from '../../contract/part.js';
import type { SharedUnit } from '../../contract/plan.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { listPayloadForms, type PartitionPart } from '../../language/analysis/foreground.js';
import { Draft } from '../../language/analysis/draft.js';
import { groupActions } from './groups.js';
import { listInheritedWork } from './inherited-steps.js';
import type { AcceptPlan, ActionGroup, PartPlan } from '../../contract/resource-plan.js';
import { compileAction, type CompiledAction } from './action.js';
import { listSecretNames } from '../../language/analysis/action-secrets.js';
import type { ResourceScope } from './tools.js';

/** The default number of retries. */
const RETRIES = 4;

export interface PartDraft {
  readonly part: PartitionPart;
  readonly compiled: readonly CompiledAction[];
}

/** Guards and rules of deferred work run in the accepting request; scheduled work has none. */
export function draftPart(
  scope: ResourceScope,
  part: PartitionPart,
  indexOf: ReadonlyMap<string, number>,
  draft: Draft,
): PartDraft {
  const around = part.scheduled ? new Draft() : draft;
  const compiled = part.actions.map((action) =>
    compileAction(scope, action, indexOf.get(action.key) ?? -1, around, !part.scheduled),
  );
  return { part, compiled };
}

export function compilePart(
  scope: ResourceScope,
  { part, compiled }: PartDraft,
  draft: Draft,
  needs: readonly (readonly number[])[],
  shared: SharedUnit | null,
): PartPlan {
  const { key, actions, later } = part;
  const plans = compiled.map(({ plan }) => plan);
  const above = actions.some((action) => action.resource === scope.resource.id && !action.timing.own)
    ? draft.deferrals
    : [];
  const deferrals = [...above, ...compiled.flatMap((action) => action.deferrals)];
  const groupPlans = (rides: 'none' | 'each'): readonly ActionGroup[] => groupActions(plans, draft.alone, needs, rides);
  const { inboxIn } = Object.assign({}, ...deferrals) as Partial<Deferral>;
  const findInbox = ({ unit }: PartStep): Inbox | null => (unit?.shared && inboxIn?.(unit.shared)) ?? null;
  // Work that is not in a queue is never repeated, so its progress is not noted.
  const noted = groupPlans(later ? 'each' : 'none');
  const stages = later ? splitStages(noted) : null;
  const work = scope.runner().compile({ ...createPartSource(scope, key, actions), stages, findInbox });
  return Object.freeze({
    key,
    admit: listInheritedWork(scope, actions),
    groups: work.stages === null ? groupPlans('none') : noted,
    steps: stages?.flat() ?? [],
    work,
    deferral: later ? mergeDeferrals(scope.resource, deferrals, shared) : null,
  });
}

/** Parallel actionables commit one by one. */
const splitStages = (groups: readonly ActionGroup[]): ActionGroup[][] =>
  groups.map((group) =>
    group.parallel
      ? group.actions.map((action) => ({ unit: action.unit, turns: action.turns, parallel: false, actions: [action] }))
      : [group],
  );

/** Complete once all plugins of the resource have planned. */
export function createPartSource(
  scope: ResourceScope,
  key: string,
  actions: readonly ActionModel[],
): Omit<PartSource, 'stages' | 'findInbox'> {
  const { sequence, slots } = scope;
  const toKeys = <T extends { readonly action: ActionModel | null }>(all: readonly T[]) =>
    all.map((one) => ({ ...one, action: one.action?.key ?? null }));
  return {
    resource: scope.resource.id,
    key,
    members: actions.map(({ key: member, value, depends }) => ({ key: member, value, depends })),
    sequence: sequence.map((action) => action.key),
    reads: toKeys(scope.reads),
    taken: toKeys(scope.taken),
    asked: toKeys(scope.asked),
    once: toKeys(scope.once),
    names: slots.byName,
    makers: slots.makers,
    findSecrets: (member) =>
      listSecretNames(
        scope.tables,
        sequence.filter((action) => action.key === member),
      ),
    findPayloadForms: (keys) =>
      listPayloadForms(
        scope.resource,
        actions.filter((action) => keys.includes(action.key)),
      ),
  };
}

function mergeDeferrals(
  resource: ResourceModel,
  deferrals: readonly Deferral[],
  shared: SharedUnit | null,
): MergedDeferral {
  const last = deferrals.at(-1);
  if (last === undefined) throw new BootError('PLG_HANDLE', { name: resource.id, method: 'defers' });
  const { delay = 0, priority = 0, retries = RETRIES, ...ways } = Object.assign({}, ...deferrals) as Deferral;
  const { enqueue, begin } = (shared && ways.enqueueWithin?.(shared)) ?? ways;
  return Object.freeze({ delay, priority, retries, enqueue, ...(begin && { begin }) });
}

export function createAcceptPlan(
  { runner }: ResourceScope,
  main: number,
  parts: readonly PartPlan[],
  drafted: readonly PartDraft[],
): AcceptPlan | null {
  const mine = drafted.filter(({ part }) => !part.scheduled);
  if (mine.length === 0) return null;
  const seal = mine.flatMap(({ compiled }) => compiled.flatMap((action) => action.seal));
  const keys = new Set(mine.map(({ part }) => part.key));
  return Object.freeze({
    seal: seal.length === 0 ? null : Object.freeze(seal),
    parts: Object.freeze(parts.filter(({ key }) => keys.has(key))),
    whole: main === -1,
    accept: runner().accept,
  });
}

export function listSchedules(resource: ResourceModel, { part, compiled }: PartDraft): Schedule[] {
  const schedule = part.scheduled ? compiled.at(-1)?.schedule : null;
  return schedule ? [{ key: part.key, resource: resource.id, ...schedule }] : [];
}
