/** Runs a job of several steps: skips noted steps and notes finished ones, within their transaction where possible. */
import type { Inbox, Journal, Note } from '../../contract/deferred.js';
import { fault } from '../../contract/fault.js';
import type { Frame, Signal } from '../../contract/plan.js';
import type { CursorPlan, StepPlan } from '../plan/cursor.js';
import { besideFrame, type FrameMemory, type UnitFrame } from './frame.js';
import { runTogether } from './invoke.js';
import { isNote } from './stored-work.js';

const NO_JOURNAL: Journal = { notes: [], write: () => Promise.resolve() };

/** Returns true when the caller must delete notes in inboxes. */
export async function runCursor(
  { stages, inboxes, give }: CursorPlan,
  id: string,
  frame: FrameMemory,
  signal: Signal,
  journal: Journal = NO_JOURNAL,
): Promise<boolean> {
  const look = async (inbox: Inbox): Promise<readonly unknown[]> => {
    await inbox.ready();
    return journal.fresh === true ? [] : inbox.read(id);
  };
  const found = await Promise.all(inboxes.map(look));
  let isKept = found.some(({ length }) => length > 0);
  const notes = notesOf(journal, found.flat());
  const missing = give(notes, frame);
  if (missing !== null) throw fault('JOB_CHANGED', { name: id, missing });
  const done = new Set(notes.flatMap(({ actions }) => actions));
  frame.stopped = notes.some(({ ends }) => ends === true);
  let writing = Promise.resolve();
  /** Writes are serialized, because each one replaces the whole list. */
  const write = (): Promise<void> => {
    const all = notes.map((note) => (note.state && isInInbox(note) ? without(note) : note));
    writing = writing.catch(() => undefined).then(() => journal.write(all));
    return writing;
  };
  const inInbox = new Set(stages.flat().flatMap(({ inbox, keys }) => (inbox === null ? [] : keys)));
  const isInInbox = ({ actions }: Note): boolean => actions.every((key) => inInbox.has(key));

  async function run(step: StepPlan, own: UnitFrame): Promise<void> {
    const actions = step.actions.filter(({ key }) => !done.has(key));
    const began = performance.now();
    const noteOf = (in_: Frame): Note => ({
      ...{ actions: step.keys, at: Date.now(), took: Math.round(performance.now() - began) },
      ...(in_.stopped && { ends: true as const }),
      ...step.leaves(in_),
    });
    const shared = step.unit?.shared;
    const end = step.last && step.noted && shared ? await journal.ending?.(shared) : null;
    let note: Note | null = null;
    await runTogether({ ...step, actions }, own, step.unit === null ? null : own.payload, async () => {
      if (!step.noted) return;
      note = noteOf(own);
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
      if (left.length > 0 && signal.aborted) throw fault('JOB_STOPPED');
      const [only] = left;
      if (stage.length === 1 && only !== undefined) await run(only, frame);
      else {
        const outcomes = await Promise.allSettled(left.map((step) => run(step, besideFrame(frame))));
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

const without = ({ actions, at, took, ends, carries }: Note): Note => ({
  ...{ actions, at, took, carries },
  ...(ends && { ends }),
});

/** Notes of inboxes replace those of the queue, which may lack values. */
function notesOf(journal: Journal, found: readonly unknown[]): Note[] {
  const read = [...journal.notes, ...found];
  if (!read.every(isNote)) throw fault('JOB_BROKEN');
  return [...new Map(read.map((note) => [note.actions.join(), note])).values()];
}

export const forgetIn =
  ({ inboxes }: CursorPlan, id: string): (() => Promise<void>) =>
  async () => {
    await Promise.allSettled(inboxes.map((inbox) => inbox.forget(id)));
  };
