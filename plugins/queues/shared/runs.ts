/** Runs one claimed job and records its result under its lease, with retries while the store is unavailable. */
import type { DeferredJob, Journal, Outcome, RuntimeServices } from '../../../contract/deferred.js';
import type { SharedUnit } from '../../../contract/plan.js';
import { createFault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import { queueErrors, type Run } from '../kind.js';
import type { RecordResult } from './agenda.js';
import type { LeaseHandle, Leases } from './leases.js';
import { parseNotes, parseWork } from './body.js';
import { computePause, computeWait, type Settings } from './settings.js';
import type { ClaimedJob, Failure, QueueStore, TransactionalStore } from './store.js';

/** Milliseconds between attempts to record a result. */
const AGAIN_MS = 200;
const BROKEN: Failure = { code: 'JOB_FAILED', detail: queueErrors.JOB_FAILED.message };

export type EmitEvent = RuntimeServices['emit'];

export interface RunsInput {
  readonly store: Pick<QueueStore, 'saveJournal' | 'completeJob' | 'fail'>;
  readonly leases: Leases;
  readonly settings: Settings;
  readonly log: Log;
  readonly emit: EmitEvent;
  /** A job becomes due in this many milliseconds. */
  readonly scheduleSweep: (milliseconds: number) => void;
  /** Null when the store is in another database. */
  readonly findSharedStore: (shared: SharedUnit) => Promise<TransactionalStore | null>;
}

/** `ended`: the transaction of the work removed the job. */
type RunLease = LeaseHandle & { ended?: boolean };

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Returns a function that records the result; neither rejects. */
export function createRun({
  store,
  leases,
  settings,
  log,
  emit,
  scheduleSweep,
  findSharedStore,
}: RunsInput): (job: ClaimedJob, run: Run) => Promise<RecordResult> {
  /** Without the journal entry, completed steps would run twice. */
  async function write(job: ClaimedJob, holding: LeaseHandle, text: string): Promise<void> {
    while (!holding.lost) {
      try {
        if (await store.saveJournal(job, text)) return;
        break;
      } catch {
        await pause(AGAIN_MS);
      }
    }
    throw createFault('JOB_STOPPED');
  }

  /**
   * Removes the job in the transaction of its work. False in long transactions: one begun before a renewal cannot
   * update the row.
   */
  const createCompletion =
    (job: ClaimedJob, holding: RunLease): NonNullable<Journal['prepareCompletion']> =>
    async (shared) => {
      const place = await findSharedStore(shared);
      if (place === null) return null;
      const until = performance.now() + settings.lease / 6;
      return async (unit) => {
        holding.ended = false;
        if (performance.now() > until) return false;
        if (holding.lost || !(await place.completeJob(job, shared.of(unit)))) throw createFault('JOB_STOPPED');
        holding.ended = true;
        return true;
      };
    };

  async function runAttempt(job: ClaimedJob, run: Run, holding: RunLease): Promise<Outcome> {
    const journal: Journal = {
      prepareCompletion: createCompletion(job, holding),
      ...(job.fresh === true && { fresh: true }),
      notes: parseNotes(job, settings.sealing),
      write: (notes) => write(job, holding, settings.sealing.seal(job.id, writeJson(notes) ?? '[]')),
    };
    try {
      return await run(parseWork(job, settings.sealing), job.attempt, holding.abort.signal, journal);
    } catch (error) {
      log.error({ err: error, job: job.id }, 'job threw an error');
      return { done: false, ...BROKEN, retryable: true };
    }
  }

  function recordOutcome(job: ClaimedJob, outcome: Outcome): Promise<boolean> {
    if (outcome.done) return store.completeJob(job);
    const { code, detail, waits = false } = outcome;
    const pause = waits
      ? computeWait(parseWork(job, settings.sealing).acceptedAt, settings)
      : computePause(job.attempt, settings);
    const after = canRunAgain(job, outcome) ? Math.round(pause) : null;
    const fields = { job: job.id, code, attempt: job.attempt, of: job.retries + 1 };
    if (after === null) log.error(fields, 'job failed and is dead');
    else if (waits) log.info({ ...fields, again: after / 1000 }, 'job deferred: not admitted yet');
    else log.warn({ ...fields, again: after / 1000 }, 'job failed, retrying');
    return store.fail(job, { code, detail }, after, !waits).then((held) => {
      if (held && after !== null) scheduleSweep(after);
      return held;
    });
  }

  async function recordWhileHeld(job: ClaimedJob, outcome: Outcome, holding: RunLease): Promise<boolean> {
    if (outcome.done && holding.ended) return true;
    while (!holding.lost) {
      try {
        return await recordOutcome(job, outcome);
      } catch {
        await pause(AGAIN_MS);
      }
    }
    return false;
  }

  function emitEnd(job: ClaimedJob, outcome: Outcome): void {
    const { resource, part } = readNames(job, settings);
    const { id, attempt } = job;
    const ended = { what: 'work-ended', id, resource, part, attempt } as const;
    if (outcome.done) emit({ ...ended, outcome: 'done', code: undefined });
    else emit({ ...ended, outcome: canRunAgain(job, outcome) ? 'again' : 'dead', code: outcome.code });
  }

  return async (job, run) => {
    const holding: RunLease = leases.begin(job);
    const outcome = await runAttempt(job, run, holding);
    return async () => {
      const counted = await recordWhileHeld(job, outcome, holding);
      leases.removeLease(holding);
      if (counted && outcome.done) await outcome.forget?.();
      if (counted) emitEnd(job, outcome);
      else log.warn({ job: job.id, attempt: job.attempt }, 'job lease lost: its result is not counted');
    };
  };
}

const canRunAgain = (
  { attempt, retries }: ClaimedJob,
  { retryable, waits }: Outcome & { readonly done: false },
): boolean => waits === true || (retryable && attempt <= retries);

/** The run of invalid stored text has already failed. */
function readNames(job: ClaimedJob, { sealing }: Settings): Partial<Pick<DeferredJob, 'resource' | 'part'>> {
  try {
    const { resource, part } = parseWork(job, sealing);
    return { resource, part };
  } catch {
    return {};
  }
}
