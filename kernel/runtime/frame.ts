/** The working memory of one invocation. */
import type { Claims, Frame, Invocation, Payload } from '../contract/plan.js';
import type { ResourcePlan } from '../compile/plan.js';

/** Until the payload has been received, guards see none. */
const NOTHING: Payload = Object.freeze({});

/** A frame in which units of work are opened and ended. */
export interface UnitFrame extends Frame {
  committedTo: number;
  settle(committed: boolean): Promise<void>;
}

class FrameMemory implements UnitFrame {
  payload = NOTHING;
  received = NOTHING;
  claims: Claims | null = null;
  lasting: Frame['lasting'] = null;
  unit: unknown = null;
  committedTo = -1;
  readonly slots: unknown[];
  readonly results: unknown[];
  readonly headers: Record<string, string>;
  #instant: string | null = null;
  #waiting: (() => void | Promise<void>)[] | null = null;

  constructor(
    readonly invocation: Invocation,
    /** Slots of values that are made once per request and once per item of a list. */
    readonly plan: Pick<ResourcePlan, 'memos' | 'makers'>,
    slots: unknown[],
    results: unknown[],
    headers: Record<string, string> = {},
  ) {
    this.slots = slots;
    this.results = results;
    this.headers = headers;
  }

  now(): string {
    this.#instant ??= new Date(this.invocation.startedAt).toISOString();
    return this.#instant;
  }

  whenCommitted(work: () => void | Promise<void>): void | Promise<void> {
    if (this.unit === null) return work();
    (this.#waiting ??= []).push(work);
  }

  /** The unit is over: what waited for it is done, or forgotten. */
  async settle(committed: boolean): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (committed && waiting !== null) for (const work of waiting) await work();
  }

  fork(payload: Payload, before?: Frame): Frame {
    if (this.unit !== null) this.#waiting ??= [];
    const slots = [...this.slots];
    const { memos, makers } = this.plan;
    for (const memo of memos) slots[memo] = before?.slots[memo];
    for (const { slot, memo, make } of makers) {
      const made = this.slots[memo];
      // Only what has been made, and only where the name still has that value.
      if (made !== undefined && made === this.slots[slot]) slots[slot] = slots[memo] ??= make();
    }
    const frame = new FrameMemory(this.invocation, this.plan, slots, this.results, this.headers);
    frame.payload = payload;
    frame.received = this.received;
    frame.claims = this.claims;
    frame.unit = this.unit;
    frame.lasting = this.lasting;
    frame.#waiting = this.#waiting;
    frame.#instant = this.now();
    return frame;
  }
}

/** The same memory with a unit of work of its own, for an actionable that runs beside others. */
class FrameBeside implements UnitFrame {
  unit: unknown = null;
  #waiting: (() => void | Promise<void>)[] = [];

  constructor(readonly base: UnitFrame) {}

  get committedTo(): number {
    return this.base.committedTo;
  }
  set committedTo(index: number) {
    this.base.committedTo = index;
  }

  get invocation(): Invocation {
    return this.base.invocation;
  }
  get payload(): Payload {
    return this.base.payload;
  }
  set payload(payload: Payload) {
    this.base.payload = payload;
  }
  get received(): Payload {
    return this.base.received;
  }
  get claims(): Claims | null {
    return this.base.claims;
  }
  get slots(): unknown[] {
    return this.base.slots;
  }
  get results(): unknown[] {
    return this.base.results;
  }
  get headers(): Record<string, string> {
    return this.base.headers;
  }
  get lasting(): Frame['lasting'] {
    return this.base.lasting;
  }
  set lasting(headers: Frame['lasting']) {
    this.base.lasting = headers;
  }
  now(): string {
    return this.base.now();
  }
  whenCommitted(work: () => void | Promise<void>): void | Promise<void> {
    if (this.unit === null) return work();
    this.#waiting.push(work);
  }
  async settle(committed: boolean): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    if (committed) for (const work of waiting) await work();
  }
  fork(payload: Payload, before?: Frame): Frame {
    const frame = this.base.fork(payload, before);
    frame.unit = this.unit;
    return frame;
  }
}

export const besideFrame = (frame: UnitFrame): UnitFrame => new FrameBeside(frame);

export const createFrame = (invocation: Invocation, plan: ResourcePlan): UnitFrame =>
  new FrameMemory(invocation, plan, new Array<unknown>(plan.slots), new Array<unknown>(plan.results));
