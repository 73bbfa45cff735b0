/** Adds notes to plans: the frame, times of steps, what is sent, what fails. */
import type { ActionState, Execute, Frame, Step } from '../../../contract/plan.js';
import { FinalResult } from '../../../contract/reply.js';
import type { ActionPlan, PlanObserver, ResourcePlan } from '../../../contract/resource-plan.js';
import { ResourcePhase } from '../../../contract/slot.js';

export interface PlanNotes {
  begin(frame: Frame): void;
  noteStep(frame: Frame, field: string, action: string | null, milliseconds: number): void;
  noteWork(frame: Frame, action: ActionPlan, result: unknown): void;
  /** The step ended the actionable before its work. */
  noteEnd(frame: Frame, action: string, field: string): void;
  noteFault(frame: Frame, error: unknown, action: string | null, field: string | null): void;
  /** Null: responses are not recorded. */
  readonly noteAnswer: ((frame: Frame, value: unknown) => void) | null;
}

/** Milliseconds; shorter steps are not noted. */
const SHORT = 0.1;

export function createPlanRecorder(notes: PlanNotes): PlanObserver {
  function observeStep(step: Step, action: string | null): Step {
    const { id } = step;
    const owner = action ?? step.action ?? null;
    const endStep = (frame: Frame, begun: number, outcome: FinalResult | void): void => {
      const took = performance.now() - begun;
      if (took >= SHORT) notes.noteStep(frame, id, owner, took);
      if (!(outcome instanceof FinalResult)) return;
      if (action !== null) notes.noteEnd(frame, action, id);
      else notes.noteAnswer?.(frame, outcome.value);
    };
    const fail = (frame: Frame, error: unknown): never => {
      notes.noteFault(frame, error, owner, id);
      throw error;
    };
    return {
      ...step,
      run(frame: Frame, state: ActionState) {
        const begun = performance.now();
        try {
          const outcome = step.run(frame, state);
          if (outcome instanceof Promise)
            return outcome.then(
              (value) => {
                endStep(frame, begun, value);
                return value;
              },
              (error: unknown) => fail(frame, error),
            );
          endStep(frame, begun, outcome);
          return outcome;
        } catch (error) {
          return fail(frame, error);
        }
      },
    };
  }

  const observeSteps = (steps: readonly Step[] | null, action: string | null): readonly Step[] | null =>
    steps && Object.freeze(steps.map((step) => observeStep(step, action)));

  /** The response that only confirms the acceptance passes no further step. */
  const createStart = (isAccepted: boolean): Step =>
    Object.freeze({
      id: 'console',
      phase: ResourcePhase.ADMIT,
      run(frame: Frame) {
        notes.begin(frame);
        if (isAccepted) notes.noteAnswer?.(frame, { accepted: true, id: frame.invocation.id });
      },
    });

  const { noteAnswer } = notes;
  const end: Step | null = noteAnswer && {
    id: 'console',
    phase: ResourcePhase.SETTLE,
    run: (frame, { result }) => noteAnswer(frame, result),
  };

  /** A compiler may replace the work of an observed actionable. */
  const observed = new WeakSet<Execute>();

  function observeWork(action: ActionPlan): ActionPlan {
    if (observed.has(action.execute)) return action;
    const { key, execute: run } = action;
    const fail = (frame: Frame, error: unknown): never => {
      notes.noteWork(frame, action, undefined);
      notes.noteFault(frame, error, key, null);
      throw error;
    };
    const execute: Execute = (frame) => {
      try {
        const result = run(frame);
        if (result instanceof Promise)
          return result.then(
            (value: unknown) => {
              notes.noteWork(frame, action, value);
              return value;
            },
            (error: unknown) => fail(frame, error),
          );
        notes.noteWork(frame, action, result);
        return result;
      } catch (error) {
        return fail(frame, error);
      }
    };
    observed.add(execute);
    return Object.freeze({ ...action, execute });
  }

  function observeAction(action: ActionPlan): ActionPlan {
    const { key } = action;
    return Object.freeze({
      ...observeWork(action),
      before: observeSteps(action.before, key),
      after: observeSteps(action.after, key),
      shape: observeSteps(action.shape, key),
    });
  }

  function observeResource(plan: ResourcePlan): ResourcePlan {
    const groups = plan.groups.map((group) => ({ ...group, actions: group.actions.map(observeWork) }));
    return Object.freeze({
      ...plan,
      groups: Object.freeze(groups),
      admit: Object.freeze([createStart(plan.accepts?.whole === true), ...(observeSteps(plan.admit, null) ?? [])]),
      check: observeSteps(plan.check, null),
      reply: observeSteps(plan.reply, null),
      settle: end === null ? observeSteps(plan.settle, null) : [...(observeSteps(plan.settle, null) ?? []), end],
    });
  }

  return { observeAction, observeResource };
}
