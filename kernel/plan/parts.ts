/** Compiles deferred and scheduled parts of a resource. Each part has its own action plans. */
import { BootError } from '../../contract/boot-error.js';
import type { Deferral, Inbox, Schedule } from '../../contract/deferred.js';
import type { SharedUnit } from '../../contract/plan.js';
import type { ActionModel, ResourceModel } from '../../language/analysis/model.js';
import { compileCarrying } from './carry.js';
import type { PartModel } from '../../language/analysis/division.js';
import { emptyDraft, type Draft } from './draft.js';
import { compileCursor } from './cursor.js';
import { groupActions } from './groups.js';
import { heldWork } from './held.js';
import type { AcceptPlan, ActionGroup, PartPlan } from './plan.js';
import { compileAction, type CompiledAction, type CompileInput } from './action.js';
import type { ResourceScope } from './tools.js';

/** The default number of retries. */
const RETRIES = 4;

export interface PartDraft {
  readonly part: PartModel;
  readonly compiled: readonly CompiledAction[];
}

/** Guards and rules of deferred work run in the accepting request; scheduled work has none. */
export function draftPart(
  input: CompileInput,
  scope: ResourceScope,
  part: PartModel,
  indexOf: ReadonlyMap<string, number>,
  draft: Draft,
): PartDraft {
  const around = part.scheduled ? emptyDraft() : draft;
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
  const above = actions.some((action) => isOf(scope.resource, action) && !action.timing.own) ? draft.deferrals : [];
  const deferrals = [...above, ...compiled.flatMap((action) => action.deferrals)];
  const grouped = (rides: 'none' | 'each'): readonly ActionGroup[] => groupActions(plans, draft.alone, needs, rides);
  const { inboxIn } = Object.assign({}, ...deferrals) as Partial<Deferral>;
  const inboxOf = ({ unit }: ActionGroup): Inbox | null => (unit?.shared && inboxIn?.(unit.shared)) ?? null;
  // Work that is not in a queue is never repeated, so its progress is not noted.
  const noted = grouped(later ? 'each' : 'none');
  const cursor = later ? compileCursor(scope, actions, noted, indexOf, inboxOf) : null;
  return Object.freeze({
    ...compileCarrying(scope, actions, indexOf),
    key,
    admit: heldWork(scope, actions),
    groups: cursor === null ? grouped('none') : noted,
    deferral: later ? overlaid(scope.resource, deferrals, shared) : null,
    cursor,
  });
}

const isOf = (resource: ResourceModel, action: ActionModel): boolean => action.resource === resource.id;

function overlaid(
  resource: ResourceModel,
  deferrals: readonly Deferral[],
  shared: SharedUnit | null,
): NonNullable<PartPlan['deferral']> {
  const last = deferrals.at(-1);
  if (last === undefined) throw new BootError('PLG_HANDLE', { name: resource.id, method: 'defers' });
  const { delay = 0, priority = 0, retries = RETRIES, ...ways } = Object.assign({}, ...deferrals) as Deferral;
  const { put, begin } = (shared && ways.putIn?.(shared)) ?? ways;
  return Object.freeze({ delay, priority, retries, put, ...(begin && { begin }) });
}

export function acceptPlan(main: number, parts: readonly PartPlan[], drafted: readonly PartDraft[]): AcceptPlan | null {
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

export function scheduleOf(resource: ResourceModel, { part, compiled }: PartDraft): Schedule[] {
  const schedule = part.scheduled ? compiled.at(-1)?.schedule : null;
  return schedule ? [{ key: part.key, resource: resource.id, ...schedule }] : [];
}
