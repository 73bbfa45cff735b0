/**
 * Shared helpers of the queue contract: a new queue for each test, handles that are closed after it, waiting for jobs.
 */
import type { JobRepository } from 'agenda';
import type { DeferredJob, Outcome, JobEntry } from '../../contract/deferred.js';
import type { Run } from '../../plugins/queues/kind.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import type { OpenedQueue, Options } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { skipTest } from '../support/skip.js';

/** One queue, new and empty. */
export interface Place {
  /** A handle on the queue; several are as many processes. */
  readonly open: (options?: Options) => Promise<OpenedQueue>;
  readonly dispose: () => Promise<void>;
  /** Agenda's own repository of the same jobs, as a tool creates it, and its end. */
  readonly openTool: () => Promise<{ readonly jobs: JobRepository; readonly end: () => Promise<void> }>;
}

export interface QueueBackend {
  readonly name: string;
  readonly createPlace: () => Promise<ServerOrSkip<Place>>;
  /** Processes that wait are woken by others at once. */
  readonly wakes: boolean;
}

export interface Suite {
  readonly open: (options?: Options) => Promise<OpenedQueue>;
  /** Opens, and adds. */
  readonly openWithJobs: (put: readonly JobEntry[], options?: Options) => Promise<OpenedQueue>;
  /** Once something was opened. */
  readonly openTool: () => Promise<JobRepository>;
  /** Works until so many runs have ended; returns them in the order in which they began. */
  readonly runJobs: (one: OpenedQueue, count: number, run?: Run) => Promise<DeferredJob[]>;
}

export const DONE: Outcome = { done: true };
export const createFailedOutcome = (retryable: boolean): Outcome => ({
  done: false,
  code: 'TST_FAILED',
  detail: 'On purpose.',
  retryable,
});
export const isEmpty = async ({ queue }: OpenedQueue): Promise<boolean> => (await queue.list({})).length === 0;

/** Quick enough for tests, and still in the right order. */
const QUICK = { poll: 0.2, backoff: 0.05 };

/** Registers the hooks of the suite that it is called in. */
export function createSuite({ createPlace }: QueueBackend): Suite {
  let place: Place;
  const opened: OpenedQueue[] = [];
  const ends: (() => Promise<void>)[] = [];
  beforeEach(async function () {
    const found = await createPlace();
    if ('skip' in found) return skipTest(this, found.skip);
    place = found;
  });
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
    await Promise.all(opened.splice(0).map(({ close }) => close()));
    await place?.dispose();
  });
  const open = async (options: Options = {}): Promise<OpenedQueue> => {
    const one = await place.open({ ...QUICK, ...options });
    opened.push(one);
    return one;
  };
  return {
    open,
    async openTool() {
      const { jobs, end } = await place.openTool();
      ends.push(end);
      return jobs;
    },
    async openWithJobs(put, options) {
      const one = await open(options);
      await one.queue.add(put);
      return one;
    },
    async runJobs({ queue }, count, run = () => Promise.resolve(DONE)) {
      const begun: DeferredJob[] = [];
      let ended = 0;
      await queue.startWorker(async (work, ...given) => {
        begun.push(work);
        return run(work, ...given).finally(() => ended++);
      });
      await waitUntil(() => ended >= count, `${count} runs`);
      return begun;
    },
  };
}
