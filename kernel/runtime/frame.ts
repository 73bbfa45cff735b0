/** The working memory of one invocation. */
import type { Frame, Invocation } from '../contract/plan.js';
import type { ResourcePlan } from '../compile/plan.js';

class FrameMemory implements Frame {
  payload;
  readonly slots: unknown[];
  readonly results: unknown[];
  unit: unknown = null;
  #instant: string | null = null;

  constructor(
    readonly invocation: Invocation,
    plan: ResourcePlan,
  ) {
    this.payload = invocation.payload;
    this.slots = new Array<unknown>(plan.slots);
    this.results = new Array<unknown>(plan.results);
  }

  now(): string {
    this.#instant ??= new Date(this.invocation.startedAt).toISOString();
    return this.#instant;
  }
}

export const createFrame = (invocation: Invocation, plan: ResourcePlan): Frame => new FrameMemory(invocation, plan);
