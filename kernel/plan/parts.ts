/** Compiles deferred and scheduled parts of a resource. Each part has its own action plans. */
import { BootError } from '../../contract/boot-error.js';
import type { Deferral, Inbox, Schedule } from '../../contract/deferred.js';
import type { SharedUnit } from '../../contract/plan.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { compileJobPayload } from './job-payload.js';
import type { PartitionPart } from '../../language/analysis/foreground.js';
import { createDraft, type Draft } from './draft.js';
import { compileCursor } from './cursor.js';
import { groupActions } from './groups.js';
import { listInheritedWork } from './inherited-steps.js';
import type { AcceptPlan, ActionGroup, PartPlan } from './plan.js';
import { compileAction, type CompiledAction, type CompileInput } from './action.js';
import type { ResourceScope } from './tools.js';

/** The default number of retries. */
const RETRIES = 4;

export interface PartDraft {
  readonly part: PartitionPart;
  readonly compiled: readonly CompiledAction[];
}

/** Guards and rules of deferred work run in the accepting request; scheduled work has none. */
export function draftPart(
  input: CompileInput,
  scope: ResourceScope,
  part: PartitionPart,
  indexOf: ReadonlyMap<string, number>,
  draft: Draft,
): PartDraft {
  const around = part.scheduled ? createDraft() : draft;
  const compiled = part.actions.map((action) =>
    compileAction(input, scope, action, indexOf.get(action.key) ?? -1, around, !part.scheduled),
  );
  return { part, compiled };
}

export function compilePart(
  scope: ResourceScope,
  { part, compiled }: PartDraft,
  draft: Draft,
  needs: readonly (readonly number[])[],
  indexOf: ReadonlyMap<string, number>,
  shared: SharedUnit | null,
): PartPlan {
  const { key, actions, later } = part;
  const plans = compiled.map(({ plan }) => plan);
  const above = actions.some((action) => isOwnAction(scope.resource, action) && !action.timing.own)
    ? draft.deferrals
    : [];
  const deferrals = [...above, ...compiled.flatMap((action) => action.deferrals)];
  const groupPlans = (rides: 'none' | 'each'): readonly ActionGroup[] => groupActions(plans, draft.alone, needs, rides);
  const { inboxIn } = Object.assign({}, ...deferrals) as Partial<Deferral>;
  const findInbox = ({ unit }: ActionGroup): Inbox | null => (unit?.shared && inboxIn?.(unit.shared)) ?? null;
  // Work that is not in a queue is never repeated, so its progress is not noted.
  const noted = groupPlans(later ? 'each' : 'none');
  const cursor = later ? compileCursor(scope, actions, noted, indexOf, findInbox) : null;
  return Object.freeze({
    ...compileJobPayload(scope, actions, indexOf),
    key,
    admit: listInheritedWork(scope, actions),
    groups: cursor === null ? groupPlans('none') : noted,
    deferral: later ? mergeDeferrals(scope.resource, deferrals, shared) : null,
    cursor,
  });
}

const isOwnAction = (resource: ResourceModel, action: ActionModel): boolean => action.resource === resource.id;

function mergeDeferrals(
  resource: ResourceModel,
  deferrals: readonly Deferral[],
  shared: SharedUnit | null,
): NonNullable<PartPlan['deferral']> {
  const last = deferrals.at(-1);
  if (last === undefined) throw new BootError('PLG_HANDLE', { name: resource.id, method: 'defers' });
  const { delay = 0, priority = 0, retries = RETRIES, ...ways } = Object.assign({}, ...deferrals) as Deferral;
  const { enqueue, begin } = (shared && ways.enqueueWithin?.(shared)) ?? ways;
  return Object.freeze({ delay, priority, retries, enqueue, ...(begin && { begin }) });
}

export function createAcceptPlan(
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
  });
}

export function listSchedules(resource: ResourceModel, { part, compiled }: PartDraft): Schedule[] {
  const schedule = part.scheduled ? compiled.at(-1)?.schedule : null;
  return schedule ? [{ key: part.key, resource: resource.id, ...schedule }] : [];
}
