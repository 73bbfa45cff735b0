/** Enqueues, runs and counts jobs, runs scheduled parts, and decides which failures may pass. */
import {
  addBacklogs,
  type Backlog,
  type Deferral,
  type DeferredJob,
  type JobAdmin,
  type JobEntry,
  type Journal,
  type Outcome,
  type RuntimeServices,
  type Schedule,
} from '../../../contract/deferred.js';
import { createFault, ensureFault, type Fault } from '../../../contract/fault.js';
import type { FindPart, FoundPart, PartRunner, PartSource, PartWork } from '../../../contract/part.js';
import type { Frame, Payload, Signal } from '../../../contract/plan.js';
import type { Log } from '../../../contract/plugin.js';
import { isDeferredJob } from '../../../contract/stored-jobs.js';
import { compileCursor, type CursorPlan } from './cursor.js';
import { BackgroundInvocation } from './invocation.js';
import { compileJobPayload, type JobPayload } from './job-payload.js';
import { createInboxCleanup, runCursor } from './run-cursor.js';

export interface CompiledWork extends PartWork, JobPayload {
  /** Null for a single step, or for work that is never repeated. */
  readonly cursor: CursorPlan | null;
}

type Running = Pick<RuntimeServices, 'getStatus' | 'getDetail' | 'notifyObservers' | 'emit'>;

const NOTHING: Payload = Object.freeze({});
/** Statuses of temporary rejections. Retryable conflicts set the flag themselves. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const DONE: Outcome = Object.freeze({ done: true });

export function compileWork(source: PartSource): CompiledWork {
  const inputs = compileJobPayload(source);
  const cursor = compileCursor(source);
  const { resource, key: part } = source;
  return Object.freeze({
    ...inputs,
    cursor,
    stages: cursor?.stages.map((stage) => stage.map(({ keys }) => keys)) ?? null,
    createJob: (id: string, frame: Frame, payload: Payload): DeferredJob => {
      const { startedAt: acceptedAt, trace } = frame.invocation;
      const state = inputs.serialize(frame, payload);
      return {
        id,
        resource,
        part,
        version: inputs.version,
        needs: inputs.needs,
        acceptedAt,
        state: trace === null ? state : { ...state, trace },
      };
    },
  });
}

export function createPartRunner(running: Running, log: Log): PartRunner<CompiledWork> {
  const toFailure = (failure: Fault, retryable?: boolean): Outcome & { readonly done: false } => {
    const status = running.getStatus(failure);
    return {
      done: false,
      code: failure.code,
      detail: running.getDetail(failure),
      retryable: retryable ?? (failure.options.retryable === true || status >= 500 || PASSING.has(status)),
    };
  };
  const createTimings = (): [] | null => (running.notifyObservers === null ? null : []);

  async function run(
    part: FoundPart,
    invocation: BackgroundInvocation,
    work: (frame: Frame) => Promise<void>,
  ): Promise<Outcome> {
    const clock = performance.now();
    let failure: Fault | null = null;
    let isRefused = false;
    try {
      const frame = await part.begin(invocation);
      if (frame !== null) {
        isRefused = true;
        await part.checkAdmission(frame);
        isRefused = false;
        await work(frame);
      }
    } catch (error) {
      failure = ensureFault(error);
      failure.where.resource ??= part.resource;
      const { id, trigger } = invocation;
      const { code, where, options } = failure;
      // The caller logs rejections, so only failures are logged here.
      if (running.getStatus(failure) >= 500 && !isRefused)
        log.error({ id, trigger, part: part.key, code, ...where, err: options.cause ?? failure }, 'job failed');
    }
    await invocation
      .dispose(failure === null)
      .catch((error: unknown) => log.error({ id: invocation.id, err: error }, 'cleanup after job failed'));
    notifyObservers(part, invocation, performance.now() - clock, failure);
    if (failure === null) return DONE;
    const outcome = toFailure(failure);
    return isRefused && outcome.retryable ? { ...outcome, waits: true } : outcome;
  }

  function notifyObservers(
    { resource, path }: FoundPart,
    { id, trigger, timings, attempt }: BackgroundInvocation,
    milliseconds: number,
    failure: Fault | null,
  ): void {
    running.notifyObservers?.({
      id,
      trigger,
      resource,
      path: `/${path}`,
      method: undefined,
      // The invocation's start is the acceptance time, possibly long ago.
      startedAt: Date.now() - milliseconds,
      status: failure === null ? 200 : running.getStatus(failure),
      code: failure?.code,
      milliseconds,
      actions: timings ?? [],
      ...(trigger === 'job' && { attempt }),
    });
  }

  return {
    compile: compileWork,
    accept: acceptParts,
    countBacklog: (admins) => collectBacklog(admins),

    async runJob(
      find: FindPart<CompiledWork>,
      job: DeferredJob,
      attempt: number,
      signal: Signal,
      journal: Journal | undefined,
    ): Promise<Outcome> {
      if (!isDeferredJob(job)) return toFailure(createFault('JOB_BROKEN'), false);
      const { id, resource, part: key, state, acceptedAt } = job;
      const part = find(resource, key);
      // Another process may have newer definitions.
      if (part === null) return toFailure(createFault('JOB_UNKNOWN', { name: key }), true);
      const { work, deferral } = part;
      const missing = work.findMissing(job.needs);
      if (missing !== null) return toFailure(createFault('JOB_CHANGED', { name: key, missing }), true);
      if (work.version !== job.version)
        log.info({ id, part: key }, 'job runs with newer definitions than it was accepted with');
      if (attempt > 1) log.info({ id, part: key, attempt }, 'job retry');
      const { headers, remote, trace } = state;
      const rest = { timings: createTimings(), origin: trace, attempt };
      const payload = state.payload as Payload;
      const invocation = new BackgroundInvocation('job', id, acceptedAt, headers, remote, payload, rest);
      const { cursor } = work;
      let isKept = false;
      const outcome = await run(part, invocation, async (frame) => {
        frame.claims = state.claims;
        work.restore(state, frame, job.version);
        await deferral?.begin?.(job);
        if (cursor === null) await part.run(frame, signal);
        else isKept = await runCursor(cursor, part, id, frame, signal, journal);
      });
      return outcome.done && cursor !== null && isKept
        ? { done: true, forget: createInboxCleanup(cursor, id) }
        : outcome;
    },

    async runSchedule(
      find: FindPart<CompiledWork>,
      { key, resource }: Schedule,
      id: string,
      instant: number,
      signal: Signal,
    ): Promise<Outcome> {
      const part = find(resource, key);
      if (part === null) return toFailure(createFault('JOB_UNKNOWN', { name: key }), false);
      const invocation = new BackgroundInvocation('cron', id, instant, {}, '', NOTHING, { timings: createTimings() });
      return run(part, invocation, async (frame) => {
        if (part.deferral === null) return part.run(frame, signal);
        const { delay, priority, retries, enqueue } = part.deferral;
        await enqueue([{ work: part.work.createJob(id, frame, NOTHING), delay, priority, retries }], frame);
        running.emit({ what: 'work-accepted', id, resource, part: key });
      });
    },
  };
}

type AcceptedPart = Pick<FoundPart, 'work' | 'deferral'>;

/** Groups the jobs by queue, so that each queue is called once. */
export function groupJobs(
  parts: readonly AcceptedPart[],
  frame: Frame,
  payload: Payload,
): ReadonlyMap<Deferral['enqueue'], readonly JobEntry[]> {
  const { id } = frame.invocation;
  const puts = new Map<Deferral['enqueue'], JobEntry[]>();
  for (const [index, { deferral, work }] of parts.entries()) {
    if (deferral === null) continue;
    const { delay, priority, retries, enqueue } = deferral;
    const job = work.createJob(index === 0 ? id : `${id}.${index + 1}`, frame, payload);
    puts.set(enqueue, [...(puts.get(enqueue) ?? []), { work: job, delay, priority, retries }]);
  }
  return puts;
}

export const acceptParts: PartRunner['accept'] = async (parts, frame, payload, emit) => {
  for (const [enqueue, entries] of groupJobs(parts, frame, payload)) {
    await enqueue(entries, frame);
    if (emit === null) continue;
    const emitAccepted = (): void => {
      for (const { work } of entries)
        emit({ what: 'work-accepted', id: work.id, resource: work.resource, part: work.part });
    };
    await frame.afterCommit(emitAccepted);
  }
};

/** Milliseconds to wait for the counts of all stores. */
const PATIENCE = 1000;
type Counting = Pick<JobAdmin, 'backlog'>;
/** Of the stores that answer in time; null if none does. */
export async function collectBacklog(
  backlogSources: readonly Counting[],
  patience = PATIENCE,
): Promise<Backlog | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, patience, null)));
  const count = async (backlogSource: Counting): Promise<Backlog | null> => (await backlogSource.backlog?.()) ?? null;
  const pending = backlogSources.map((backlogSource) => Promise.race([count(backlogSource).catch(() => null), late]));
  const found = await Promise.all(pending).finally(() => clearTimeout(timer));
  const [first, ...more] = found.filter((one) => one !== null);
  return first === undefined ? null : more.reduce(addBacklogs, first);
}
