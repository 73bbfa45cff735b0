/**
 * Agenda as the engine that runs work: its processor asks for the next job, runs it, saves what it ended in and asks again. It works on
 * Agenda's repository of the store, in which claims and completions are replaced by ours: leases, attempts and order are kept there.
 */
import type { AgendaBackend, JobParameters, JobRepository, NotificationChannel, NotificationHandler } from 'agenda';
import { call, NAME } from './job.js';
import type { Claimed } from './store.js';

/** Agenda's own looks are no more than a chance to begin what it holds: it asks for work when it is called. */
const LOOK_MS = 1000;
/** Leases are renewed and judged by us; to Agenda none ever ends. */
const FOR_EVER = new Date(8.64e15);

export interface Engine {
  /** Looks for work now. */
  wake(): void;
  stop(): Promise<void>;
}

/** Notes what a run ended in; never rejects. */
export type Settle = () => Promise<void>;

export interface EngineInput {
  /** Agenda's own, for all that is not replaced. */
  readonly jobs: () => Promise<JobRepository>;
  /** Never rejects. */
  readonly next: () => Promise<Claimed | undefined>;
  /** Never rejects. */
  readonly run: (job: Claimed) => Promise<Settle>;
  readonly concurrency: number;
  /** Something went wrong between Agenda and the queue. */
  readonly failed: (error: unknown) => void;
}

const nothing = (): Promise<void> => Promise.resolve();

/** The jobs of a process: what Agenda holds of each is the claim. */
interface Held {
  take(): Promise<JobParameters | undefined>;
  save(job: JobParameters): Promise<void>;
  ended(job: Claimed, settle: Settle): void;
}

function heldBy(next: EngineInput['next'], channel: Channel): Held {
  let taken = 0;
  let answered = -1;
  const ends = new WeakMap<object, Settle>();
  return {
    async take() {
      const calls = channel.calls();
      if (calls === answered) return undefined;
      const job = await next();
      if (job === undefined) {
        answered = calls;
        return undefined;
      }
      // Agenda begins what it has in the order of this time; anything before now begins at once.
      const nextRunAt = new Date(++taken);
      const _id = job.id as NonNullable<JobParameters['_id']>;
      return { _id, name: NAME, priority: 0, nextRunAt, type: 'normal', lockedAt: FOR_EVER, data: job };
    },
    async save(job) {
      // Agenda saves the begin of a run, which the claim has noted, and then its end, without the lock.
      if (job.lockedAt !== undefined) return;
      // It would give up a run without a lock while the end is being noted.
      job.lockedAt = FOR_EVER;
      await ends.get(job.data as object)?.();
      channel.call();
    },
    ended: (job, settle) => void ends.set(job, settle),
  };
}

/** Agenda's repository, with claims and completions of ours; leases are given back by their token, never by the id of a job. */
function repositoryOf(jobs: EngineInput['jobs'], held: Held): JobRepository {
  return {
    connect: nothing,
    getNextJobToRun: () => held.take(),
    saveJobState: (job) => held.save(job),
    unlockJob: nothing,
    unlockJobs: nothing,
    lockJob: () => Promise.resolve(undefined),
    saveJob: () => Promise.reject(new Error('work is added to the queue, not to Agenda')),
    getJobById: async (id) => (await jobs()).getJobById(id),
    queryJobs: async (options) => (await jobs()).queryJobs(options),
    getJobsOverview: async () => (await jobs()).getJobsOverview(),
    getDistinctJobNames: async () => (await jobs()).getDistinctJobNames(),
    getQueueSize: async () => (await jobs()).getQueueSize(),
    removeJobs: async (options) => (await jobs()).removeJobs(options),
    disableJobs: async (options) => (await jobs()).disableJobs(options),
    enableJobs: async (options) => (await jobs()).enableJobs(options),
    purgeAllJobs: async () => (await jobs()).purgeAllJobs(),
  };
}

interface Channel extends NotificationChannel {
  call(): void;
  calls(): number;
}

/** How Agenda is told to look for work. */
function channelOf(): Channel {
  const handlers = new Set<NotificationHandler>();
  let called = false;
  let calls = 0;
  const channel: Channel = {
    calls: () => calls,
    state: 'connected',
    connect: nothing,
    disconnect: nothing,
    publish: nothing,
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    on: () => channel,
    off: () => channel,
    // Once in a turn: work that ends together is replaced together.
    call() {
      calls++;
      if (called) return;
      called = true;
      setImmediate(() => {
        called = false;
        for (const handler of handlers) Promise.resolve(handler(call())).catch(() => undefined);
      });
    },
  };
  return channel;
}

/** Loaded with the first work: commands that only look at the queue do without. */
export async function startEngine({ jobs, next, run, concurrency, failed }: EngineInput): Promise<Engine> {
  const { Agenda } = await import('agenda');
  const channel = channelOf();
  const held = heldBy(next, channel);
  const backend: AgendaBackend = {
    name: NAME,
    repository: repositoryOf(jobs, held),
    notificationChannel: channel,
    ownsConnection: false,
    connect: nothing,
    disconnect: nothing,
  };
  // How much runs at once is settled where work is claimed; Agenda must not hold back what it was given.
  const most = concurrency + 100;
  const agenda = new Agenda({ backend, processEvery: LOOK_MS, maxConcurrency: most });
  agenda.on('error', failed);
  // oxlint-disable-next-line typescript/no-misused-promises -- one form of `define` takes a promise
  agenda.define<Claimed>(NAME, async ({ attrs: { data } }) => held.ended(data, await run(data)), {
    concurrency: most,
    lockLifetime: 1,
  });
  await agenda.start();
  return { wake: () => channel.call(), stop: () => agenda.stop(false) };
}
