/** Kernel services for plugins that bring work or deliver messages. They run parts of the newest plans and know no plugin. */
import {
  addBacklogs,
  type Backlog,
  type DeferredJob,
  type Delivery,
  type JobAdmin,
  type Journal,
  type Outcome,
  type Replay,
  type RuntimeServices,
  type Schedule,
} from '../../contract/deferred.js';
import { createFault, ensureFault, type Fault } from '../../contract/fault.js';
import type { InvocationRecord } from '../../contract/hooks.js';
import type { Log } from '../../contract/plugin.js';
import { fillMessage, type CodeEntry } from '../../contract/problem.js';
import type { Frame, Payload, Signal } from '../../contract/plan.js';
import { findRoute } from '../plan/patterns.js';
import type { PartPlan, PlanSet, ResourcePlan } from '../plan/plan.js';
import { createInboxCleanup, runCursor } from './cursor.js';
import { BackgroundInvocation, createJob } from './background.js';
import { createFrame, type FrameMemory } from './frame.js';
import type { LiveHooks } from './hooks.js';
import { invokePlan, runGroups } from './invoke.js';
import { createErrorResponse } from './problem-details.js';
import { isDeferredJob } from '../../contract/stored-jobs.js';

export interface RuntimeServicesInput {
  /** Null before the kernel is ready. */
  readonly plans: () => PlanSet | null;
  /** The same plans, where resources with unavailable servers respond with 503. */
  readonly served: () => PlanSet | null;
  readonly hooks: () => LiveHooks | null;
  readonly listJobAdmins: () => readonly JobAdmin[];
  readonly codes: Readonly<Record<string, CodeEntry>>;
  /** Base URL of the error pages. */
  readonly docs: () => string;
  readonly log: Log;
  /** Called after each failure of a request that was logged. */
  readonly onFailure?: ((fault: Fault) => void) | undefined;
}

export interface KernelServices extends RuntimeServices {
  notifyPlansReloaded(): void;
}

interface FoundPart {
  readonly plan: ResourcePlan;
  readonly part: PartPlan;
}

const NOTHING: Payload = Object.freeze({});
/** Statuses of temporary rejections. Retryable conflicts set the flag themselves. */
const PASSING: ReadonlySet<number> = new Set([408, 425, 429]);
const DONE: Outcome = Object.freeze({ done: true });

/** Stops before the next group when the claim is lost. */
async function runGroupsUntilAborted(signal: Signal, { groups }: PartPlan, frame: FrameMemory): Promise<void> {
  for (const group of groups) {
    if (signal.aborted) throw createFault('JOB_STOPPED');
    await runGroups([group], frame, null);
    if (frame.stopped) return;
  }
}

export function createRuntimeServices({
  plans,
  served,
  hooks,
  listJobAdmins,
  codes,
  docs,
  log,
  onFailure,
}: RuntimeServicesInput): KernelServices {
  const listeners = new Set<() => void>();

  function find(resource: string, key: string): FoundPart | null {
    const plan = plans()?.byId.get(resource);
    const part = plan?.parts.get(key);
    return plan === undefined || part === undefined ? null : { plan, part };
  }

  const getStatus = ({ code, options }: Fault): number => options.status ?? codes[code]?.status ?? 500;

  const toFailure = (failure: Fault, retryable?: boolean): Outcome & { readonly done: false } => {
    const status = getStatus(failure);
    const detail = failure.options.message ?? fillMessage(codes[failure.code]?.message ?? failure.code, failure.params);
    return {
      done: false,
      code: failure.code,
      detail,
      retryable: retryable ?? (failure.options.retryable === true || status >= 500 || PASSING.has(status)),
    };
  };

  async function run(
    { plan, part }: FoundPart,
    invocation: BackgroundInvocation,
    work: (frame: ReturnType<typeof createFrame>) => Promise<void>,
  ): Promise<Outcome> {
    const clock = performance.now();
    let failure: Fault | null = null;
    let isRefused = false;
    const live = hooks();
    try {
      const early = await live?.accept?.(invocation);
      if (early === undefined) {
        const frame = createFrame(invocation, plan);
        frame.payload = frame.received = invocation.payload;
        isRefused = true;
        for (const step of part.admit ?? []) await step.run(frame, { result: null });
        isRefused = false;
        await work(frame);
      }
    } catch (error) {
      failure = ensureFault(error);
      failure.where.resource ??= plan.id;
      const { id, trigger } = invocation;
      const { code, where, options } = failure;
      // The caller logs rejections, so only failures are logged here.
      if (getStatus(failure) >= 500 && !isRefused)
        log.error({ id, trigger, part: part.key, code, ...where, err: options.cause ?? failure }, 'job failed');
    }
    await invocation
      .dispose(failure === null)
      .catch((error: unknown) => log.error({ id: invocation.id, err: error }, 'cleanup after job failed'));
    notifyObservers(live, plan, invocation, clock, failure);
    if (failure === null) return DONE;
    const outcome = toFailure(failure);
    return isRefused && outcome.retryable ? { ...outcome, waits: true } : outcome;
  }

  function notifyObservers(
    live: LiveHooks | null,
    plan: ResourcePlan,
    invocation: BackgroundInvocation,
    clock: number,
    failure: Fault | null,
  ): void {
    const { id, trigger, timings, attempt } = invocation;
    const milliseconds = performance.now() - clock;
    live
      ?.afterResponse?.({
        id,
        trigger,
        resource: plan.id,
        path: `/${plan.path}`,
        method: undefined,
        // The invocation's start is the acceptance time, possibly long ago.
        startedAt: Date.now() - milliseconds,
        status: failure === null ? 200 : getStatus(failure),
        code: failure?.code,
        milliseconds,
        actions: timings ?? [],
        ...(trigger === 'job' && { attempt }),
      })
      .catch((error: unknown) => log.error({ id, err: error }, 'observer failed'));
  }

  const createTimings = (): [] | null => ((hooks()?.afterResponse ?? null) === null ? null : []);

  function logFailure(error: unknown, id: string): void {
    const fault = ensureFault(error);
    if (id === '-' && isGone(fault.options.cause)) return log.debug({ id }, 'client disconnected');
    log.error({ id, code: fault.code, ...fault.where, err: fault.options.cause ?? fault }, 'request failed');
    onFailure?.(fault);
  }

  const getServed = (): { readonly set: PlanSet; readonly live: LiveHooks } => {
    const [set, live] = [served(), hooks()];
    if (set === null || live === null) throw createFault('REQ_WAITING');
    return { set, live };
  };

  let replayFromSource: Replay = () => Promise.resolve(null);
  let deliverHere: KernelServices['deliverMessage'] = () => undefined;
  const running: KernelServices = {
    findResource(path) {
      const { set, live } = getServed();
      const { plan, parameters } = findRoute(set, path);
      const { id, path: written, proof, requestOnly } = plan;
      return {
        ...{ id, path: written, parameters, proof, requestOnly },
        invoke: (invocation) => invokePlan(plan, invocation, live),
      };
    },
    identities: () => getServed().set.identities,
    guards: () => new Map([...getServed().set.byId].map(([id, plan]) => [id, describeGuard(plan)])),
    getStatus,
    respondToFailure(error, id) {
      const fault = ensureFault(error);
      const response = createErrorResponse(fault, id, codes, docs());
      if (response.status >= 500) logFailure(fault, id);
      return response;
    },
    logFailure,
    get timed() {
      const live = hooks();
      return live !== null && (live.afterResponse !== null || live.reply !== null);
    },
    get notifyObservers() {
      const notify = hooks()?.afterResponse ?? null;
      if (notify === null) return null;
      return (record: InvocationRecord) => void notify(record).catch((error: unknown) => logFailure(error, record.id));
    },

    async runJob(work: DeferredJob, attempt: number, signal: Signal, journal?: Journal): Promise<Outcome> {
      if (!isDeferredJob(work)) return toFailure(createFault('JOB_BROKEN'), false);
      const { id, resource, part: key, state, acceptedAt } = work;
      const found = find(resource, key);
      // Another process may have newer definitions.
      if (found === null) return toFailure(createFault('JOB_UNKNOWN', { name: key }), true);
      const missing = found.part.findMissing(work.needs);
      if (missing !== null) return toFailure(createFault('JOB_CHANGED', { name: key, missing }), true);
      if (found.part.version !== work.version)
        log.info({ id, part: key }, 'job runs with newer definitions than it was accepted with');
      if (attempt > 1) log.info({ id, part: key, attempt }, 'job retry');
      const payload = state.payload as Payload;
      const { headers, remote, trace } = state;
      const told = { timings: createTimings(), origin: trace, attempt };
      const invocation = new BackgroundInvocation('job', id, acceptedAt, headers, remote, payload, told);
      const { cursor } = found.part;
      let isKept = false;
      const outcome = await run(found, invocation, async (frame) => {
        frame.claims = state.claims;
        found.part.restore(state, frame, work.version);
        await found.part.deferral?.begin?.(work);
        if (cursor === null) await runGroupsUntilAborted(signal, found.part, frame);
        else isKept = await runCursor(cursor, id, frame, signal, journal);
      });
      return outcome.done && cursor !== null && isKept
        ? { done: true, forget: createInboxCleanup(cursor, id) }
        : outcome;
    },

    schedules: () => [...(plans()?.byId.values() ?? [])].flatMap((plan) => plan.schedules),

    async runSchedule({ key, resource }: Schedule, id: string, instant: number, signal: Signal): Promise<Outcome> {
      const found = find(resource, key);
      if (found === null) return toFailure(createFault('JOB_UNKNOWN', { name: key }), false);
      const { plan, part } = found;
      const invocation = new BackgroundInvocation('cron', id, instant, {}, '', NOTHING, { timings: createTimings() });
      return run(found, invocation, async (frame) => {
        if (part.deferral === null) return runGroupsUntilAborted(signal, part, frame);
        const { delay, priority, retries } = part.deferral;
        await part.deferral.enqueue(
          [{ work: createJob(plan, part, id, frame, NOTHING), delay, priority, retries }],
          frame,
        );
        running.emit({ what: 'work-accepted', id, resource, part: key });
      });
    },

    onPlansReloaded(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    notifyPlansReloaded() {
      for (const listener of listeners) listener();
    },

    async publish(message: Delivery, frame: Frame): Promise<Delivery> {
      const change = hooks()?.broadcast ?? null;
      const announced = change === null ? message : await change(message, frame);
      running.emit({ what: 'message-sent', action: announced.action });
      return announced;
    },
    deliverMessage: (message) => deliverHere(message),
    registerReceiver(receive) {
      deliverHere = receive;
    },
    registerReplay(asked) {
      replayFromSource = asked;
    },
    replayMissed: (id) => replayFromSource(id),
    emit: (event) => hooks()?.happening?.(event),
    backlog: () => collectBacklog(listJobAdmins()),
  };
  return running;
}

const describeGuard = ({ summary, identities }: ResourcePlan): string =>
  JSON.stringify([summary.guard, ...identities.map(({ key }) => key).sort()]);

/** A client that disconnects, is too slow or sends invalid HTTP is not a failure of the server. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(HPE_|ECONNRESET|ECONNABORTED|EPIPE|ERR_HTTP_REQUEST_TIMEOUT)/.test(String(error.code));

/** Milliseconds to wait for the counts of all stores. */
const PATIENCE = 1000;
type Counting = Pick<JobAdmin, 'backlog'>;
/** Of the stores that answer in time; null if none does. */
export async function collectBacklog(desks: readonly Counting[], patience = PATIENCE): Promise<Backlog | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => (timer = setTimeout(resolve, patience, null)));
  const count = async (desk: Counting): Promise<Backlog | null> => (await desk.backlog?.()) ?? null;
  const asked = desks.map((desk) => Promise.race([count(desk).catch(() => null), late]));
  const found = await Promise.all(asked).finally(() => clearTimeout(timer));
  const [first, ...more] = found.filter((one) => one !== null);
  return first === undefined ? null : more.reduce(addBacklogs, first);
}
