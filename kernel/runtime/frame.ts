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
    readonly memos: readonly number[],
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
    for (const memo of this.memos) slots[memo] = undefined;
    const frame = new FrameMemory(this.invocation, this.memos, slots, this.results);
    frame.payload = payload;
    frame.received = this.received;
    frame.claims = this.claims;
    frame.unit = this.unit;
    frame.#instant = this.now();
    return frame;
  }
}

export const createFrame = (invocation: Invocation, plan: ResourcePlan): Frame =>
  new FrameMemory(invocation, plan.memos, new Array<unknown>(plan.slots), new Array<unknown>(plan.results));
