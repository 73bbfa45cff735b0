/** Runs one claimed job and records its result while the lease is held, with retries while the store is unavailable. */
import type { Deferred, Journal, Outcome, Running } from '../../../contract/deferred.js';
import type { SharedUnit } from '../../../contract/plan.js';
import { fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import { queueErrors, type Run } from '../kind.js';
import type { Settle } from './agenda.js';
import type { Holding, Leases } from './leases.js';
import { notesOf, workOf } from './body.js';
import type { Inside } from './queue.js';
import { pauseAfter, waitAfter, type Settings } from './settings.js';
import type { Claimed, Failure, Store } from './store.js';

/** Milliseconds between attempts to record a result. */
const AGAIN_MS = 200;
const BROKEN: Failure = { code: 'JOB_FAILED', detail: queueErrors.JOB_FAILED.message };

export type Tell = Running['tell'];

export interface RunsInput {
  readonly store: Pick<Store, 'note' | 'done' | 'fail'>;
  readonly leases: Leases;
  readonly settings: Settings;
  readonly log: Log;
  readonly tell: Tell;
  /** A job becomes due in this many milliseconds. */
  readonly later: (milliseconds: number) => void;
  /** Null when the store is in another database. */
  readonly inside: (shared: SharedUnit) => Promise<Inside | null>;
}

/** `ended`: the transaction of the work removed the job. */
type Ending = Holding & { ended?: boolean };

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Returns a function that records the result; neither rejects. */
export function createRun({
  store,
  leases,
  settings,
  log,
  tell,
  later,
  inside,
}: RunsInput): (job: Claimed, run: Run) => Promise<Settle> {
  /** Without the journal entry, completed steps would run twice. */
  async function write(job: Claimed, holding: Holding, text: string): Promise<void> {
    while (!holding.lost) {
      try {
        if (await store.note(job, text)) return;
        break;
      } catch {
        await pause(AGAIN_MS);
      }
    }
    throw fault('JOB_STOPPED');
  }

  /**
   * Removes the job in the transaction of its work. False in long transactions: one that began before a lease renewal cannot
   * update the row and would be retried indefinitely.
   */
  const endingOf =
    (job: Claimed, holding: Ending): NonNullable<Journal['ending']> =>
    async (shared) => {
      const place = await inside(shared);
      if (place === null) return null;
      const until = performance.now() + settings.lease / 6;
      return async (unit) => {
        holding.ended = false;
        if (performance.now() > until) return false;
        if (holding.lost || !(await place.done(job, shared.of(unit)))) throw fault('JOB_STOPPED');
        holding.ended = true;
        return true;
      };
    };

  async function outcomeOf(job: Claimed, run: Run, holding: Ending): Promise<Outcome> {
    const journal: Journal = {
      ending: endingOf(job, holding),
      ...(job.fresh === true && { fresh: true }),
      notes: notesOf(job, settings.sealing),
      write: (notes) => write(job, holding, settings.sealing.seal(job.id, writeJson(notes) ?? '[]')),
    };
    try {
      return await run(workOf(job, settings.sealing), job.attempt, holding.abort.signal, journal);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'deferred work threw');
      return { done: false, ...BROKEN, retryable: true };
    }
  }

  function settle(job: Claimed, outcome: Outcome): Promise<boolean> {
    if (outcome.done) return store.done(job);
    const { code, detail, waits = false } = outcome;
    const pause = waits
      ? waitAfter(workOf(job, settings.sealing).acceptedAt, settings)
      : pauseAfter(job.attempt, settings);
    const after = mayRunAgain(job, outcome) ? Math.round(pause) : null;
    const fields = { job: job.id, code, attempt: job.attempt, of: job.retries + 1 };
    if (after === null) log.error(fields, 'deferred work failed and is dead');
    else if (waits) log.info({ ...fields, again: after / 1000 }, 'deferred work is not let in and waits');
    else log.warn({ ...fields, again: after / 1000 }, 'deferred work failed and will be tried again');
    return store.fail(job, { code, detail }, after, !waits).then((held) => {
      if (held && after !== null) later(after);
      return held;
    });
  }

  async function note(job: Claimed, outcome: Outcome, holding: Ending): Promise<boolean> {
    if (outcome.done && holding.ended) return true;
    while (!holding.lost) {
      try {
        return await settle(job, outcome);
      } catch {
        await pause(AGAIN_MS);
      }
    }
    return false;
  }

  function tellEnd(job: Claimed, outcome: Outcome): void {
    const { resource, part } = namesIn(job, settings);
    const { id, attempt } = job;
    const ended = { what: 'work-ended', id, resource, part, attempt } as const;
    if (outcome.done) tell({ ...ended, outcome: 'done', code: undefined });
    else tell({ ...ended, outcome: mayRunAgain(job, outcome) ? 'again' : 'dead', code: outcome.code });
  }

  return async (job, run) => {
    const holding: Ending = leases.begin(job);
    const outcome = await outcomeOf(job, run, holding);
    return async () => {
      const counted = await note(job, outcome, holding);
      leases.end(holding);
      if (counted && outcome.done) await outcome.forget?.();
      if (counted) tellEnd(job, outcome);
      else log.warn({ job: job.id, attempt: job.attempt }, 'the lease was lost: what the work ended in is not counted');
    };
  };
}

const mayRunAgain = (
  { attempt, retries }: Claimed,
  { retryable, waits }: Outcome & { readonly done: false },
): boolean => waits === true || (retryable && attempt <= retries);

/** The run of invalid stored text has already failed. */
function namesIn(job: Claimed, { sealing }: Settings): Partial<Pick<Deferred, 'resource' | 'part'>> {
  try {
    const { resource, part } = workOf(job, sealing);
    return { resource, part };
  } catch {
    return {};
  }
}
