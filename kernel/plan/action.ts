/** Compiles one actionable (features become steps, its mode a closure), or the features of a resource. */
import { BootError } from '../../contract/boot-error.js';
import type { Deferral, Schedule } from '../../contract/deferred.js';
import type { Feature, ModeHandle } from '../../contract/handles.js';
import type { FileLimits, Identity, ModePlan, Step } from '../../contract/plan.js';
import { ActionPhase, ResourcePhase, Slot } from '../../contract/slot.js';
import type { ActionModel } from '../../language/analysis/model.js';
import { locateActionErrors, locateFeatureErrors } from '../../language/analysis/plugin-errors.js';
import { isPassive } from '../../language/analysis/isolation.js';
import type { PluginUsage } from '../../language/analysis/facts.js';
import type { Draft } from '../../language/analysis/draft.js';
import { resolveReachedRealm } from '../../language/analysis/uid-namespace.js';
import type { ActionPlan } from '../../contract/resource-plan.js';
import { selectSteps } from '../../contract/steps.js';
import { createTools, hashRealm, type ResourceScope } from './tools.js';

export interface CompiledAction extends Pick<ModePlan, 'renders' | 'passes'> {
  readonly plan: ActionPlan;
  /** Steps that convert the payload to its storable form; in the foreground also part of `before`. */
  readonly seal: readonly Step[];
  readonly deferrals: readonly Deferral[];
  readonly schedule: Pick<Schedule, 'expression' | 'zone'> | null;
}

/** `sealed`: the payload is in its storable form when the work runs. */
export function compileAction(
  scope: ResourceScope,
  action: ActionModel,
  index: number,
  draft: Draft,
  sealed = false,
): CompiledAction {
  const direct = action.places.filter((place) => place.node === action.node);
  const steps: Step[] = [];
  const inner: Draft = { ...draft, steps, deferrals: [], schedule: null };
  planFeatures(scope, action, direct, inner);
  draft.alone ||= inner.alone;
  draft.requestOnly ||= inner.requestOnly;
  draft.presumes ||= inner.presumes;
  for (const step of steps) if (step.phase >= ResourcePhase.ADMIT) draft.steps.push({ ...step, action: action.key });
  const modeId = direct.find((place) => place.slot === Slot.MODE)?.plugin;
  if (modeId === undefined) throw new BootError('DEF_UNKNOWN_PLUGIN', { kind: 'mode', name: action.mode });
  const handle = scope.handles.handle(modeId) as ModeHandle;
  const planned = locateActionErrors(action, scope.registry, () =>
    handle.plan(action.value, action.node.pointer, createTools(scope, action, modeId)),
  );
  const tables = action.models.map((model) => scope.tables.get(model)?.table ?? model);
  const touches = tables.length > 0 ? tables : [String(scope.registry.plugins.get(modeId)?.facts?.touches ?? '')];
  touches.forEach((name) => draft.touches.add(name));
  draft.takesList ||= planned.takesList === true;
  draft.needsList ||= planned.needsList === true;
  draft.files = mergeFileLimits(draft.files, planned.files);
  const { renders, passes } = scope.watched?.(action.mode) === false ? planned : {};
  const execute = scope.intercept(action.mode, planned.execute, { key: action.key, mode: action.mode });
  const plan: ActionPlan = Object.freeze({
    key: action.key,
    mode: action.mode,
    index,
    before: selectSteps(sealed ? steps.filter(({ seals }) => seals !== true) : steps, 0, ActionPhase.EXECUTE - 1),
    execute,
    isTapped: execute !== planned.execute,
    after: selectSteps(steps, ActionPhase.EXECUTE, ResourcePhase.ADMIT - 1),
    shape: selectSteps(steps, ActionPhase.SHAPE, ResourcePhase.ADMIT - 1),
    unit: planned.unit ?? null,
    parallel: action.parallel,
    apart: inner.apart,
    always: planned.always === true,
    pure: planned.pure === true,
    passive: planned.pure === true && isPassive(action, scope.registry),
    reads: planned.reads === true,
    turns: steps.find((step) => step.phase < ResourcePhase.ADMIT && step.turns !== undefined)?.turns ?? null,
    preview: planned.preview ?? null,
    describe: planned.describe,
  });
  return {
    plan: scope.planObserver?.observeAction(plan, scope.resource.id) ?? plan,
    ...(renders !== undefined && { renders }),
    ...(passes !== undefined && { passes }),
    seal: steps.filter(({ seals }) => seals === true),
    deferrals: inner.deferrals,
    schedule: inner.schedule,
  };
}

/** The transport applies the widest limits; each actionable validates its own. */
function mergeFileLimits(known: FileLimits | null, more: FileLimits | undefined): FileLimits | null {
  if (known === null || more === undefined) return more ?? known;
  return { count: Math.max(known.count, more.count), bytes: Math.max(known.bytes, more.bytes) };
}

export function planFeatures(
  scope: ResourceScope,
  action: ActionModel | null,
  places: readonly PluginUsage[],
  draft: Draft,
): void {
  const slot = action === null ? Slot.RESOURCE : Slot.ACTIONABLE;
  const node = action?.node ?? scope.resource.definition.node;
  for (const place of places) {
    if (place.slot !== slot || place.node !== node) continue;
    const handle = scope.handles.handle(place.plugin) as Feature;
    const tools = createTools(scope, action, place.plugin);
    const { value, holder } = place;
    const planned = locateFeatureErrors((action ?? scope.resource).definition, scope.registry, place, () =>
      handle.plan({ slot, value, holder, pointer: node.pointer }, tools),
    );
    draft.steps.push(...planned.steps);
    draft.validates.push(...(planned.validates ?? []));
    Object.assign(draft.sample, planned.sample);
    if (planned.guard !== undefined) draft.guards.push(planned.guard);
    if (draft.proof !== 'header') draft.proof = planned.proof ?? draft.proof;
    if (scope.registry.plugins.get(place.plugin)?.facts?.identifies === true)
      draft.identities.push({
        key: createIdentityKey(scope, place, planned.identity),
        realm: resolveReachedRealm(scope.registry, [place], hashRealm),
        identity: planned.identity ?? null,
      });
    draft.requestOnly ||= planned.requestOnly === true;
    draft.alone ||= planned.alone === true;
    draft.apart ||= planned.apart === true;
    draft.presumes ||= planned.presumes === true;
    draft.answers ||= planned.answers === true;
    scope.revealed.push(...(planned.reveals ?? []));
    if (planned.defers !== undefined) draft.deferrals.push(planned.defers);
    draft.schedule = planned.schedule ?? draft.schedule;
  }
}

/** Identifies the admitted callers and their header. */
function createIdentityKey({ registry }: ResourceScope, place: PluginUsage, identity: Identity | undefined): string {
  const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  const callerKey = registry.plugins.get(place.plugin)?.getCallerKey?.({ ...place, facts: findFacts }) ?? '';
  return JSON.stringify([place.plugin, callerKey, identity?.header ?? null]);
}
