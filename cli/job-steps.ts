/** The steps of a job for operators: done, failed, running, waiting. Contains no values of the job. */
import type { JobView, Note } from '../contract/deferred.js';
import type { PartPlan } from '../contract/resource-plan.js';
import { isNote } from '../contract/stored-jobs.js';

export interface StepView {
  readonly actions: readonly string[];
  readonly state: 'done' | 'failed' | 'running' | 'waiting';
  readonly at?: string;
  readonly milliseconds?: number;
  readonly error?: { readonly code: string; readonly detail: string };
}

/** Returns null for a job with a single step or without a definition. `notes`: progress as stored in the queue. */
export function listJobSteps(
  { state, failure }: JobView,
  notes: readonly unknown[] = [],
  part: PartPlan | undefined,
): readonly StepView[] | null {
  const stages = part?.work.stages ?? null;
  if (stages === null) return null;
  const done = new Map(notes.filter(isNote).flatMap((note) => note.actions.map((key) => [key, note] as const)));
  const steps = stages.map((stage) => stage.map((keys) => ({ keys, note: findNote(keys, done) })));
  const next = steps.findIndex((stage) => stage.some(({ note }) => note === null));
  const isOver = [...done.values()].some(({ ends }) => ends === true);
  return steps.flatMap((stage, at) =>
    stage.map(({ keys: actions, note }): StepView => {
      if (note !== null)
        return { actions, state: 'done', at: new Date(note.at).toISOString(), milliseconds: note.took };
      if (at !== next || isOver) return { actions, state: 'waiting' };
      if (state === 'running') return { actions, state: 'running' };
      if (failure === null) return { actions, state: 'waiting' };
      const { code, detail, at: instant } = failure;
      return { actions, state: 'failed', at: new Date(instant).toISOString(), error: { code, detail } };
    }),
  );
}

function findNote(keys: readonly string[], done: ReadonlyMap<string, Note>): Note | null {
  const notes = keys.map((key) => done.get(key));
  return notes.every((note) => note !== undefined) ? (notes.at(-1) ?? null) : null;
}
