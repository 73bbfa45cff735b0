/** Runs a job of several steps: skips noted steps and notes finished ones, within their transaction where possible. */
import type { Inbox, Journal, Note } from '../../../contract/deferred.js';
import { createFault } from '../../../contract/fault.js';
import type { FoundPart } from '../../../contract/part.js';
import type { Frame, Signal } from '../../../contract/plan.js';
import { isNote } from '../../../contract/stored-jobs.js';
import type { CursorPlan, StepPlan } from './cursor.js';

const NO_JOURNAL: Journal = { notes: [], write: () => Promise.resolve() };

/** Returns true when the caller must delete notes in inboxes. */
export async function runCursor(
  { stages, inboxes, restoreValues }: CursorPlan,
  part: Pick<FoundPart, 'runStep'>,
  id: string,
  frame: Frame,
  signal: Signal,
  journal: Journal = NO_JOURNAL,
): Promise<boolean> {
  const readInbox = async (inbox: Inbox): Promise<readonly unknown[]> => {
    await inbox.ready();
    return journal.fresh === true ? [] : inbox.read(id);
  };
  const found = await Promise.all(inboxes.map(readInbox));
  let isKept = found.some(({ length }) => length > 0);
  const notes = mergeNotes(journal, found.flat());
  const missing = restoreValues(notes, frame);
  if (missing !== null) throw createFault('JOB_CHANGED', { name: id, missing });
  const done = new Set(notes.flatMap(({ actions }) => actions));
  frame.stopped = notes.some(({ ends }) => ends === true);
  let writing = Promise.resolve();
  /** Writes are serialized, because each one replaces the whole list. */
  const write = (): Promise<void> => {
    const all = notes.map((note) => (note.state && isInInbox(note) ? omitState(note) : note));
    writing = writing.catch(() => undefined).then(() => journal.write(all));
    return writing;
  };
  const inInbox = new Set(stages.flat().flatMap(({ inbox, keys }) => (inbox === null ? [] : keys)));
  const isInInbox = ({ actions }: Note): boolean => actions.every((key) => inInbox.has(key));

  async function run(step: StepPlan, isApart: boolean): Promise<void> {
    const began = performance.now();
    const createNote = (in_: Frame): Note => ({
      actions: step.keys,
      at: Date.now(),
      took: Math.round(performance.now() - began),
      ...(in_.stopped && { ends: true as const }),
      ...step.captureState(in_),
    });
    const { shared } = step;
    const end = step.last && step.noted && shared !== null ? await journal.prepareCompletion?.(shared) : null;
    let note: Note | null = null;
    await part.runStep(step.number, frame, isApart, done, async (own) => {
      if (!step.noted) return;
      note = createNote(own);
      if (step.inbox === null || own.unit === null || (await end?.(own.unit))) return;
      isKept = true;
      await step.inbox.write(id, note, own.unit);
    });
    if (note === null) return;
    notes.push(note);
    if (step.inbox === null) await write();
  }

  try {
    for (const stage of stages) {
      if (frame.stopped) return isKept;
      const left = stage.filter(({ keys }) => keys.some((key) => !done.has(key)));
      if (left.length > 0 && signal.aborted) throw createFault('JOB_STOPPED');
      const [only] = left;
      if (stage.length === 1 && only !== undefined) await run(only, false);
      else {
        const outcomes = await Promise.allSettled(left.map((step) => run(step, true)));
        for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      }
    }
  } catch (error) {
    // The queue's notes show operators the progress; the inboxes hold the values for the next attempt.
    if (notes.length > journal.notes.length) await write().catch(() => undefined);
    throw error;
  }
  return isKept;
}

const omitState = ({ actions, at, took, ends, carries }: Note): Note => ({
  actions,
  at,
  took,
  carries,
  ...(ends && { ends }),
});

/** Notes of inboxes replace those of the queue, which may lack values. */
function mergeNotes(journal: Journal, found: readonly unknown[]): Note[] {
  const read = [...journal.notes, ...found];
  if (!read.every(isNote)) throw createFault('JOB_BROKEN');
  return [...new Map(read.map((note) => [note.actions.join(), note])).values()];
}

export const createInboxCleanup =
  ({ inboxes }: CursorPlan, id: string): (() => Promise<void>) =>
  async () => {
    await Promise.allSettled(inboxes.map((inbox) => inbox.forget(id)));
  };
