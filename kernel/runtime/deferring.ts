/** Converts between frames and deferred work. It neither stores nor runs work. */
import type { Deferral, Deferred, DeferredState, Put } from '../../contract/deferred.js';
import type { Frame, Invocation, Payload } from '../../contract/plan.js';
import type { PartPlan, ResourcePlan } from '../plan/plan.js';
import { giveBack, type HeldWork } from './held.js';

/** Groups the jobs by queue, so that each queue is called once. `payload` is in its storable form. */
export function putsOf(
  plan: ResourcePlan,
  parts: readonly PartPlan[],
  frame: Frame,
  payload: Payload,
): ReadonlyMap<Deferral['put'], readonly Put[]> {
  const { id } = frame.invocation;
  const puts = new Map<Deferral['put'], Put[]>();
  for (const [index, part] of parts.entries()) {
    if (part.deferral === null) continue;
    const { delay, priority, retries, put } = part.deferral;
    const work = workOf(plan, part, index === 0 ? id : `${id}.${index + 1}`, frame, payload);
    puts.set(put, [...(puts.get(put) ?? []), { work, delay, priority, retries }]);
  }
  return puts;
}

export function workOf(plan: ResourcePlan, part: PartPlan, id: string, frame: Frame, payload: Payload): Deferred {
  return {
    id,
    resource: plan.id,
    part: part.key,
    version: part.version,
    needs: part.needs,
    acceptedAt: frame.invocation.startedAt,
    state: traced(part.take(frame, payload), frame.invocation.trace),
  };
}

const traced = (state: DeferredState, trace: Invocation['trace']): DeferredState =>
  trace === null ? state : { ...state, trace };

const NO_TRACE: Readonly<Record<string, string>> = Object.freeze({});
const NOTHING_SENT = new Uint8Array();
const UNHELD: Invocation['files'] = Object.freeze([]);

export interface HeldFor {
  readonly timings: Invocation['timings'];
  readonly origin?: Readonly<Record<string, string>> | undefined;
  readonly attempt?: number;
}

export class HeldInvocation implements Invocation {
  readonly files = UNHELD;
  readonly texts = null;
  readonly connection = null;
  /** The queue or scheduler enforces time limits. */
  readonly deadline = Infinity;
  readonly timings: Invocation['timings'];
  readonly origin: Readonly<Record<string, string>>;
  readonly attempt: number;
  trace: Readonly<Record<string, string>> | null = null;
  #held: HeldWork[] = [];

  constructor(
    readonly trigger: 'job' | 'cron',
    readonly id: string,
    readonly startedAt: number,
    readonly headers: Readonly<Record<string, string>>,
    readonly remote: string,
    readonly payload: Payload,
    { timings, origin = NO_TRACE, attempt = 1 }: HeldFor,
  ) {
    this.timings = timings;
    this.origin = origin;
    this.attempt = attempt;
  }

  header(name: string): readonly string[] {
    const value = Object.hasOwn(this.headers, name) ? this.headers[name] : undefined;
    return value === undefined ? [] : [value];
  }

  bytes(): Promise<Uint8Array> {
    return Promise.resolve(NOTHING_SENT);
  }

  receive(): Payload {
    return this.payload;
  }

  release(work: HeldWork): void {
    this.#held.push(work);
  }

  async finish(answered: boolean): Promise<void> {
    const held = this.#held;
    this.#held = [];
    await giveBack(held, answered);
  }
}
