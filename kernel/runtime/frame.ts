/** The working memory of one invocation. */
import type { Claims, Frame, Invocation, Payload } from '../contract/plan.js';
import type { ResourcePlan } from '../compile/plan.js';

/** Until the payload has been received, guards see none. */
const NOTHING: Payload = Object.freeze({});

class FrameMemory implements Frame {
  payload = NOTHING;
  received = NOTHING;
  claims: Claims | null = null;
  unit: unknown = null;
  readonly slots: unknown[];
  readonly results: unknown[];
  #instant: string | null = null;

  constructor(
    readonly invocation: Invocation,
    /** Slots of values that are made once per request and once per item of a list. */
    readonly plan: Pick<ResourcePlan, 'memos' | 'makers'>,
    slots: unknown[],
    results: unknown[],
  ) {
    this.slots = slots;
    this.results = results;
  }

  now(): string {
    this.#instant ??= new Date(this.invocation.startedAt).toISOString();
    return this.#instant;
  }

  fork(payload: Payload): Frame {
    const slots = [...this.slots];
    const { memos, makers } = this.plan;
    for (const memo of memos) slots[memo] = undefined;
    for (const { slot, memo, make } of makers) {
      const made = this.slots[memo];
      // Only what has been made, and only where the name still has that value.
      if (made !== undefined && made === this.slots[slot]) slots[slot] = slots[memo] = make();
    }
    const frame = new FrameMemory(this.invocation, this.plan, slots, this.results);
    frame.payload = payload;
    frame.received = this.received;
    frame.claims = this.claims;
    frame.unit = this.unit;
    frame.#instant = this.now();
    return frame;
  }
}

export const createFrame = (invocation: Invocation, plan: ResourcePlan): Frame =>
  new FrameMemory(invocation, plan, new Array<unknown>(plan.slots), new Array<unknown>(plan.results));
