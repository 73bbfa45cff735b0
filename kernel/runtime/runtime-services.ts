/** Kernel services for plugins that bring work or deliver messages. They run parts of the newest plans and know no plugin. */
import type { JobAdmin, RuntimeServices } from '../../contract/deferred.js';
import type { Delivery, Replay } from '../../contract/delivery.js';
import { createFault, ensureFault, type Fault } from '../../contract/fault.js';
import type { InvocationRecord } from '../../contract/telemetry.js';
import type { Log } from '../../contract/plugin.js';
import { fillMessage, type CodeEntry } from '../../contract/problem.js';
import type { FindPart, FoundPart, PartRunner } from '../../contract/part.js';
import type { Frame } from '../../contract/plan.js';
import { findRoute } from '../plan/patterns.js';
import type { PartPlan, PlanSet, ResourcePlan } from '../../contract/resource-plan.js';
import { createFrame, ParallelFrame, type FrameMemory } from './frame.js';
import type { LiveHooks } from './hooks.js';
import { invokePlan, runGroup, runGroups } from './invoke.js';
import { createErrorResponse } from '../../language/problems/problem-details.js';

export interface RuntimeServicesInput {
  /** Null before the kernel is ready. */
  readonly plans: () => PlanSet | null;
  /** The same plans, where resources with unavailable servers respond with 503. */
  readonly served: () => PlanSet | null;
  readonly hooks: () => LiveHooks | null;
  readonly listJobAdmins: () => readonly JobAdmin[];
  readonly codes: Readonly<Record<string, CodeEntry>>;
  readonly runner: () => PartRunner;
  /** Base URL of the error pages. */
  readonly docs: () => string;
  readonly log: Log;
  /** Called after each failure of a request that was logged. */
  readonly onFailure?: ((fault: Fault) => void) | undefined;
}

export interface KernelServices extends RuntimeServices {
  notifyPlansReloaded(): void;
}

export function createRuntimeServices({
  plans,
  served,
  hooks,
  listJobAdmins,
  codes,
  docs,
  runner,
  log,
  onFailure,
}: RuntimeServicesInput): KernelServices {
  const listeners = new Set<() => void>();

  const find: FindPart = (resource, key) => {
    const plan = plans()?.byId.get(resource);
    const part = plan?.parts.get(key);
    return plan === undefined || part === undefined ? null : createFoundPart(plan, part, hooks);
  };

  const getStatus = ({ code, options }: Fault): number => options.status ?? codes[code]?.status ?? 500;

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
  const receivers: KernelServices['deliverMessage'][] = [];
  const running: KernelServices = {
    findResource(path) {
      const { set, live } = getServed();
      const { plan, parameters } = findRoute(set, path);
      const { id, path: written, proof, requestOnly } = plan;
      return {
        id,
        path: written,
        parameters,
        proof,
        requestOnly,
        invoke: (invocation) => invokePlan(plan, invocation, live),
      };
    },
    identities: () => getServed().set.identities,
    guards: () => new Map([...getServed().set.byId].map(([id, plan]) => [id, describeGuard(plan)])),
    getStatus,
    getDetail: ({ code, options, params }) => options.message ?? fillMessage(codes[code]?.message ?? code, params),
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

    runJob: (work, attempt, signal, journal) => runner().runJob(find, work, attempt, signal, journal),
    schedules: () => [...(plans()?.byId.values() ?? [])].flatMap((plan) => plan.schedules),
    runSchedule: (schedule, id, instant, signal) => runner().runSchedule(find, schedule, id, instant, signal),

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
    deliverMessage: (message) => receivers.forEach((receive) => receive(message)),
    registerReceiver: (receive) => void receivers.push(receive),
    registerReplay(asked) {
      replayFromSource = asked;
    },
    replayMissed: (id) => replayFromSource(id),
    emit: (event) => hooks()?.happening?.(event),
    backlog: () => {
      const admins = listJobAdmins();
      return admins.length === 0 ? Promise.resolve(null) : runner().countBacklog(admins);
    },
  };
  return running;
}

function createFoundPart(plan: ResourcePlan, part: PartPlan, hooks: () => LiveHooks | null): FoundPart {
  return {
    resource: plan.id,
    path: plan.path,
    key: part.key,
    work: part.work,
    deferral: part.deferral,
    async begin(invocation) {
      if ((await hooks()?.accept?.(invocation)) !== undefined) return null;
      const frame = createFrame(invocation, plan);
      frame.payload = frame.received = await invocation.readPayload(null);
      return frame;
    },
    async checkAdmission(frame) {
      for (const step of part.admit ?? []) await step.run(frame, { result: null });
    },
    async run(frame: FrameMemory, signal) {
      for (const group of part.groups) {
        // The claim is lost.
        if (signal.aborted) throw createFault('JOB_STOPPED');
        await runGroups([group], frame, null);
        if (frame.stopped) return;
      }
    },
    async runStep(step, frame: FrameMemory, apart, done, last) {
      const group = part.steps[step];
      if (group === undefined) throw createFault('JOB_BROKEN');
      const own = apart ? new ParallelFrame(frame) : frame;
      const actions = group.actions.filter(({ key }) => !done.has(key));
      await runGroup({ ...group, actions }, own, group.unit === null ? null : own.payload, () => last(own));
    },
  };
}

const describeGuard = ({ summary, identities }: ResourcePlan): string =>
  JSON.stringify([summary.guard, ...identities.map(({ key }) => key).sort()]);

/** A client that disconnects, is too slow or sends invalid HTTP is not a failure of the server. */
const isGone = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  /^(HPE_|ECONNRESET|ECONNABORTED|EPIPE|ERR_HTTP_REQUEST_TIMEOUT)/.test(String(error.code));
