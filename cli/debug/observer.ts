/** Puts the stops of a debugger into plans, while there is one. */
import { ensureFault, type Fault } from '../../contract/fault.js';
import type { ActionState, Frame, Preview, SharedUnit, Step } from '../../contract/plan.js';
import { ActionPhase, ResourcePhase } from '../../contract/slot.js';
import type { ActionPlan, PlanObserver, ResourcePlan } from '../../contract/resource-plan.js';
import { createPlaceKey, type Moment, type Place } from './places.js';

/** A place that a request has reached, with what can be shown there. */
export interface ReachedPlace {
  readonly place: Place;
  readonly frame: Frame;
  readonly state: ActionState;
  readonly action: ActionPlan | null;
}

export interface StopControl {
  readonly isAttached: () => boolean;
  /** Null: the request goes on at once. */
  readonly reach: (reached: ReachedPlace) => Promise<void> | null;
  /** The same for a request that is rejected or fails here. */
  readonly reachFault: (reached: ReachedPlace, fault: Fault) => Promise<void> | null;
}

export interface PlanFacts {
  /** Keys of the actionables of each plan, as they run. */
  readonly order: Map<string, readonly string[]>;
  /** Indexes of results by key of the actionable, of each plan. */
  readonly results: Map<string, ReadonlyMap<string, number>>;
  /** Keys of the places that have a step. */
  readonly steps: Set<string>;
  /** The isolation of the transaction of an actionable, by resource and key. */
  readonly isolations: Map<string, Preview>;
  /** Slots by `resource:name`, of each plan. */
  readonly names: Map<string, ReadonlyMap<string, number>>;
  /** The connection on which the transaction of an actionable runs. */
  readonly shared: Map<string, SharedUnit>;
}

export const createPlanFacts = (): PlanFacts => ({
  order: new Map(),
  results: new Map(),
  steps: new Set(),
  isolations: new Map(),
  names: new Map(),
  shared: new Map(),
});

export function createPlanObserver(control: StopControl, facts: PlanFacts): PlanObserver {
  /** Runs the work between the stop before it and the one where it fails. */
  function runStopped<T>(reached: ReachedPlace, isStop: boolean, run: () => T | Promise<T>): T | Promise<T> {
    if (!control.isAttached()) return run();
    const stop = isStop ? control.reach(reached) : null;
    const fail = async (error: unknown): Promise<never> => {
      const fault = ensureFault(error);
      await control.reachFault(reached, fault);
      throw fault;
    };
    if (stop !== null) return stop.then(() => Promise.resolve().then(run).catch(fail));
    try {
      const result = run();
      return result instanceof Promise ? result.catch(fail) : result;
    } catch (error) {
      return fail(error);
    }
  }

  function observeStep(step: Step, resource: string, action: ActionPlan | null): Step {
    const owner = action?.key ?? step.action ?? null;
    const place: Place = { resource, action: owner, field: step.id, moment: 'step' };
    facts.steps.add(createPlaceKey(place));
    return {
      ...step,
      run: (frame, state) => runStopped({ place, frame, state, action }, true, () => step.run(frame, state)),
    };
  }

  function createStop(phase: number, place: Place, action: ActionPlan | null): Step {
    const run = (frame: Frame, state: ActionState): void | Promise<void> =>
      control.isAttached() ? (control.reach({ place, frame, state, action }) ?? undefined) : undefined;
    return { id: 'debugger', phase, run };
  }

  function observeAction(action: ActionPlan, resource: string): ActionPlan {
    const { key } = action;
    const at = (moment: Moment): Place => ({ resource, action: key, field: null, moment });
    const observeSteps = (steps: readonly Step[] | null): Step[] =>
      (steps ?? []).map((step) => observeStep(step, resource, action));
    const before = observeSteps(action.before);
    // Names have their values there, and the payload is not hashed or encrypted yet.
    const bind = before.findIndex(({ phase }) => phase >= ActionPhase.BIND);
    const pause = createStop(ActionPhase.BIND, at('before'), action);
    before.splice(bind === -1 ? before.length : bind, 0, pause);
    const end = createStop(ResourcePhase.ADMIT - 1, at('after'), action);
    if (action.unit?.shared !== undefined) facts.shared.set(key, action.unit.shared);
    const work = at('before');
    return Object.freeze({
      ...action,
      before: Object.freeze(before),
      execute: (frame: Frame) =>
        runStopped({ place: work, frame, state: { result: undefined }, action }, false, () => action.execute(frame)),
      after: Object.freeze([...observeSteps(action.after), end]),
      shape: Object.freeze([...observeSteps(action.shape), end]),
    });
  }

  function observeResource(plan: ResourcePlan): ResourcePlan {
    const { id } = plan;
    const at = (moment: Moment): Place => ({ resource: id, action: null, field: null, moment });
    const observeSteps = (steps: readonly Step[] | null): Step[] =>
      (steps ?? []).map((step) => observeStep(step, id, null));
    const groups = [...plan.groups, ...[...plan.parts.values()].flatMap((part) => part.groups)];
    const actions = groups.flatMap((group) => group.actions);
    facts.order.set(
      id,
      actions.map(({ key }) => key),
    );
    facts.results.set(id, new Map(actions.map(({ key, index }) => [key, index])));
    facts.names.set(id, plan.names);
    for (const { unit, actions: members } of groups)
      for (const { key } of members) facts.isolations.set(`${id}\n${key}`, unit?.describe ?? {});
    return Object.freeze({
      ...plan,
      admit: Object.freeze([createStop(ResourcePhase.ADMIT, at('before'), null), ...observeSteps(plan.admit)]),
      check: plan.check && Object.freeze(observeSteps(plan.check)),
      reply: Object.freeze([...observeSteps(plan.reply), createStop(ResourcePhase.SETTLE - 1, at('after'), null)]),
      settle: plan.settle && Object.freeze(observeSteps(plan.settle)),
    });
  }

  return { observeAction, observeResource };
}
