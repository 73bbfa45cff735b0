/**
 * Deferred work under manual control: taken from the queue before it begins, then run with one fault: a call that
 * fails, a process that ends before or after a note, or between the last commit and the end of the job. Collects
 * effects; asserts nothing.
 */
import type { Journal, Note } from '../../contract/deferred.js';
import type { StepKernel } from './job-steps.js';

export interface Fault {
  /** The service returns 500 for this call. */
  readonly failedCall?: number;
  /** The process ends when this note is to be stored: before it, or after it. */
  readonly lostNote?: number;
  readonly keptNote?: number;
  /** It ends when all has run, without recording it. */
  readonly again?: true;
}

export interface AttackResult {
  readonly calls: readonly { readonly key: string; readonly body: unknown }[];
  /** How often notes were written into the queue. */
  readonly writes: number;
  readonly messages: number;
  readonly outcomes: readonly string[];
}

const TRIES = 5;
const copyJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Accepts work of a resource, which has to be delayed, and does all of it. */
export async function runAttack(steps: StepKernel, path: string, body: object, fault: Fault): Promise<AttackResult> {
  const { kernel } = steps.kernel;
  const { running } = kernel;
  const [admin] = kernel.listJobAdmins();
  let messages = 0;
  running.registerReceiver(() => void messages++);
  const { status, text } = await steps.post(`/${path}`, body);
  if (status !== 202) throw new Error(`${path}: ${status} ${text}`);
  steps.failCalls((place) => place === fault.failedCall);
  let writes = 0;
  const outcomes: string[] = [];
  const createJournal = (notes: readonly unknown[], keep: (given: readonly Note[]) => void): Journal => ({
    notes,
    write(given) {
      writes++;
      if (writes !== fault.lostNote) keep(copyJson(given));
      return writes === fault.lostNote || writes === fault.keptNote
        ? Promise.reject(new Error('the process ended'))
        : Promise.resolve();
    },
  });
  for (const { id } of (await admin?.list({})) ?? []) {
    const work = (await admin?.show(id))?.work;
    await admin?.purge({ id });
    if (work === undefined) throw new Error(`no work ${id}`);
    let notes: readonly unknown[] = [];
    for (let attempt = 1, ends = fault.again ? 2 : 1; attempt <= TRIES && ends > 0; attempt++) {
      const journal = createJournal(notes, (given) => (notes = given));
      const outcome = await running.runJob(copyJson(work), attempt, new AbortController().signal, journal);
      outcomes.push(outcome.done ? 'done' : outcome.code);
      if (outcome.done && --ends === 0) await outcome.forget?.();
    }
  }
  return { calls: steps.calls(), writes, messages, outcomes };
}
