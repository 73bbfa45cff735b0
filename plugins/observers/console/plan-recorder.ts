/** Adds notes to plans: the frame, times of steps, what is sent, what fails. */
import type { ActionState, Frame, Step } from '../../../contract/plan.js';
import { FinalResult } from '../../../contract/reply.js';
import type { ActionPlan, PlanObserver, ResourcePlan } from '../../../contract/resource-plan.js';
import { ResourcePhase } from '../../../contract/slot.js';

export interface PlanNotes {
  beginFrame(frame: Frame): void;
  noteStep(frame: Frame, field: string, action: string | null, milliseconds: number): void;
  noteWork(frame: Frame, action: ActionPlan, result: unknown): void;
  /** The step ended the actionable before its work. */
  noteEnd(frame: Frame, action: string, field: string): void;
  noteFault(frame: Frame, error: unknown, action: string | null, field: string | null): void;
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
      if (action !== null && outcome instanceof FinalResult) notes.noteEnd(frame, action, id);
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

  const start: Step = Object.freeze({
    id: 'console',
    phase: ResourcePhase.ADMIT,
    run: (frame: Frame) => notes.beginFrame(frame),
  });

  function observeAction(action: ActionPlan): ActionPlan {
    const { key } = action;
    const fail = (frame: Frame, error: unknown): never => {
      notes.noteWork(frame, action, undefined);
      notes.noteFault(frame, error, key, null);
      throw error;
    };
    return Object.freeze({
      ...action,
      before: observeSteps(action.before, key),
      execute(frame: Frame) {
        try {
          const result = action.execute(frame);
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
      },
      after: observeSteps(action.after, key),
      shape: observeSteps(action.shape, key),
    });
  }

  function observeResource(plan: ResourcePlan): ResourcePlan {
    return Object.freeze({
      ...plan,
      admit: Object.freeze([start, ...(observeSteps(plan.admit, null) ?? [])]),
      check: observeSteps(plan.check, null),
      reply: observeSteps(plan.reply, null),
      settle: observeSteps(plan.settle, null),
    });
  }

  return { observeAction, observeResource };
}
