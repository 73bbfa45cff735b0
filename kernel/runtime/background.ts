/** Converts between frames and deferred work. It neither stores nor runs work. */
import type { Deferral, DeferredJob, DeferredState, JobEntry } from '../../contract/deferred.js';
import type { Frame, Invocation, Payload } from '../../contract/plan.js';
import type { PartPlan, ResourcePlan } from '../plan/plan.js';
import { runCleanups, type Cleanup } from '../../contract/cleanup.js';

/** Groups the jobs by queue, so that each queue is called once. `payload` is in its storable form. */
export function groupJobs(
  plan: ResourcePlan,
  parts: readonly PartPlan[],
  frame: Frame,
  payload: Payload,
): ReadonlyMap<Deferral['enqueue'], readonly JobEntry[]> {
  const { id } = frame.invocation;
  const puts = new Map<Deferral['enqueue'], JobEntry[]>();
  for (const [index, part] of parts.entries()) {
    if (part.deferral === null) continue;
    const { delay, priority, retries, enqueue } = part.deferral;
    const work = createJob(plan, part, index === 0 ? id : `${id}.${index + 1}`, frame, payload);
    puts.set(enqueue, [...(puts.get(enqueue) ?? []), { work, delay, priority, retries }]);
  }
  return puts;
}

export function createJob(plan: ResourcePlan, part: PartPlan, id: string, frame: Frame, payload: Payload): DeferredJob {
  return {
    id,
    resource: plan.id,
    part: part.key,
    version: part.version,
    needs: part.needs,
    acceptedAt: frame.invocation.startedAt,
    state: addTrace(part.serialize(frame, payload), frame.invocation.trace),
  };
}

const addTrace = (state: DeferredState, trace: Invocation['trace']): DeferredState =>
  trace === null ? state : { ...state, trace };

const NO_TRACE: Readonly<Record<string, string>> = Object.freeze({});
const NOTHING_SENT = new Uint8Array();
const UNHELD: Invocation['files'] = Object.freeze([]);

export interface BackgroundOptions {
  readonly timings: Invocation['timings'];
  readonly origin?: Readonly<Record<string, string>> | undefined;
  readonly attempt?: number;
}

export class BackgroundInvocation implements Invocation {
  readonly files = UNHELD;
  readonly texts = null;
  readonly connection = null;
  /** The queue or scheduler enforces time limits. */
  readonly deadline = Infinity;
  readonly timings: Invocation['timings'];
  readonly origin: Readonly<Record<string, string>>;
  readonly attempt: number;
  trace: Readonly<Record<string, string>> | null = null;
  #held: Cleanup[] = [];

  constructor(
    readonly trigger: 'job' | 'cron',
    readonly id: string,
    readonly startedAt: number,
    readonly headers: Readonly<Record<string, string>>,
    readonly remote: string,
    readonly payload: Payload,
    { timings, origin = NO_TRACE, attempt = 1 }: BackgroundOptions,
  ) {
    this.timings = timings;
    this.origin = origin;
    this.attempt = attempt;
  }

  header(name: string): readonly string[] {
    const value = Object.hasOwn(this.headers, name) ? this.headers[name] : undefined;
    return value === undefined ? [] : [value];
  }

  readRawBody(): Promise<Uint8Array> {
    return Promise.resolve(NOTHING_SENT);
  }

  readPayload(): Payload {
    return this.payload;
  }

  onFinish(work: Cleanup): void {
    this.#held.push(work);
  }

  async dispose(answered: boolean): Promise<void> {
    const held = this.#held;
    this.#held = [];
    await runCleanups(held, answered);
  }
}
