/** Runs jobs with Agenda. The store replaces its claims and completions, leases, attempts and order. */
import type { AgendaBackend, JobParameters, JobRepository, NotificationChannel, NotificationHandler } from 'agenda';
import { createNotification, NAME } from './job.js';
import type { ClaimedJob } from './store.js';

/** Polling is only a fallback: the queue triggers Agenda explicitly. */
const LOOK_MS = 1000;
/** The queue manages leases itself; Agenda's locks never expire. */
const FOR_EVER = new Date(8.64e15);

export interface Engine {
  wake(): void;
  stop(): Promise<void>;
}

/** Records the result of a run; never rejects. */
export type RecordResult = () => Promise<void>;

export interface EngineInput {
  /** For the operations that are not replaced. */
  readonly jobs: () => Promise<JobRepository>;
  /** Never rejects. */
  readonly next: () => Promise<ClaimedJob | undefined>;
  /** Never rejects. */
  readonly run: (job: ClaimedJob) => Promise<RecordResult>;
  readonly concurrency: number;
  readonly onError: (error: unknown) => void;
}

const doNothing = (): Promise<void> => Promise.resolve();

interface JobLifecycle {
  claimNext(): Promise<JobParameters | undefined>;
  save(job: JobParameters): Promise<void>;
  registerEnd(job: ClaimedJob, settle: RecordResult): void;
}

function createLifecycle(next: EngineInput['next'], channel: LocalChannel): JobLifecycle {
  let taken = 0;
  let answered = -1;
  const ends = new WeakMap<object, RecordResult>();
  return {
    async claimNext() {
      const calls = channel.calls();
      if (calls === answered) return undefined;
      const job = await next();
      if (job === undefined) {
        answered = calls;
        return undefined;
      }
      // Agenda starts jobs in the order of this time; a past time starts immediately.
      const nextRunAt = new Date(++taken);
      const _id = job.id as NonNullable<JobParameters['_id']>;
      return { _id, name: NAME, priority: 0, nextRunAt, type: 'normal', lockedAt: FOR_EVER, data: job };
    },
    async save(job) {
      // Agenda saves the start of a run, which the claim has recorded, and its end.
      if (job.lockedAt !== undefined) return;
      // Without a lock, Agenda would abandon the run meanwhile.
      job.lockedAt = FOR_EVER;
      await ends.get(job.data as object)?.();
      channel.call();
    },
    registerEnd: (job, settle) => void ends.set(job, settle),
  };
}

/** Unlocking does nothing, because leases are released by token and not by job id. */
function createAgendaRepository(jobs: EngineInput['jobs'], lifecycle: JobLifecycle): JobRepository {
  return {
    connect: doNothing,
    getNextJobToRun: () => lifecycle.claimNext(),
    saveJobState: (job) => lifecycle.save(job),
    unlockJob: doNothing,
    unlockJobs: doNothing,
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

interface LocalChannel extends NotificationChannel {
  call(): void;
  calls(): number;
}

function createLocalChannel(): LocalChannel {
  const handlers = new Set<NotificationHandler>();
  let called = false;
  let calls = 0;
  const channel: LocalChannel = {
    calls: () => calls,
    state: 'connected',
    connect: doNothing,
    disconnect: doNothing,
    publish: doNothing,
    subscribe(handler) {
      handlers.add(handler);
      return () => handlers.delete(handler);
    },
    on: () => channel,
    off: () => channel,
    // At most one per event loop turn, so that jobs that end together are replaced together.
    call() {
      calls++;
      if (called) return;
      called = true;
      setImmediate(() => {
        called = false;
        for (const handler of handlers) Promise.resolve(handler(createNotification())).catch(() => undefined);
      });
    },
  };
  return channel;
}

/** Agenda is loaded with the first job, so that inspecting a queue starts fast. */
export async function startEngine({ jobs, next, run, concurrency, onError }: EngineInput): Promise<Engine> {
  const { Agenda } = await import('agenda');
  const channel = createLocalChannel();
  const lifecycle = createLifecycle(next, channel);
  const backend: AgendaBackend = {
    name: NAME,
    repository: createAgendaRepository(jobs, lifecycle),
    notificationChannel: channel,
    ownsConnection: false,
    connect: doNothing,
    disconnect: doNothing,
  };
  // Claims enforce the limit; Agenda must not delay claimed jobs.
  const most = concurrency + 100;
  const agenda = new Agenda({ backend, processEvery: LOOK_MS, maxConcurrency: most });
  agenda.on('error', onError);
  // oxlint-disable-next-line typescript/no-misused-promises -- one form of `define` takes a promise
  agenda.define<ClaimedJob>(NAME, async ({ attrs: { data } }) => lifecycle.registerEnd(data, await run(data)), {
    concurrency: most,
    lockLifetime: 1,
  });
  await agenda.start();
  return { wake: () => channel.call(), stop: () => agenda.stop(false) };
}
