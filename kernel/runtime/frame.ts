/**
 * The working memory of an invocation, with forks for list items and views for parallel actionables.
 * Code that opens and ends transactions uses `UnitFrame`; steps use `Frame`.
 */
import type { Claims, Frame, Invocation, Payload } from '../../contract/plan.js';
import type { ResourcePlan } from '../../contract/resource-plan.js';

/** Guards see this before the payload is received. */
const NOTHING: Payload = Object.freeze({});

type Work = () => void | Promise<void>;

/** Adds the control of transactions to a frame. */
export interface UnitFrame extends Frame {
  committedTo: number;
  flushCallbacks(committed: boolean): Promise<void>;
}

/** Callbacks of a unit's frame and its forks that wait for the commit. */
class CommitCallbacks {
  #works: Work[] | null = null;

  add(work: Work): void {
    (this.#works ??= []).push(work);
  }

  /** Runs the callbacks after a commit; discards them after a rollback. */
  async flushCallbacks(committed: boolean): Promise<void> {
    const works = this.#works;
    this.#works = null;
    if (committed && works !== null) for (const work of works) await work();
  }
}

export class FrameMemory implements UnitFrame {
  payload = NOTHING;
  received = NOTHING;
  claims: Claims | null = null;
  lastingHeaders: Frame['lastingHeaders'] = null;
  unit: unknown = null;
  committedTo = -1;
  stopped = false;
  #instant: string | null = null;
  #waiting: CommitCallbacks | null = null;

  constructor(
    readonly invocation: Invocation,
    readonly plan: Pick<ResourcePlan, 'memos' | 'makers'>,
    readonly slots: unknown[],
    readonly results: unknown[],
    readonly headers: Record<string, string> = {},
  ) {}

  now(): string {
    this.#instant ??= new Date(this.invocation.startedAt).toISOString();
    return this.#instant;
  }

  afterCommit(work: Work): void | Promise<void> {
    if (this.unit === null) return work();
    (this.#waiting ??= new CommitCallbacks()).add(work);
  }

  async flushCallbacks(committed: boolean): Promise<void> {
    await this.#waiting?.flushCallbacks(committed);
  }

  forkFrame(payload: Payload, before?: Frame): Frame {
    const waiting = this.unit === null ? null : (this.#waiting ??= new CommitCallbacks());
    return this.forkWithUnit(this.unit, waiting, payload, before);
  }

  forkWithUnit(unit: unknown, waiting: CommitCallbacks | null, payload: Payload, before?: Frame): Frame {
    const frame = new FrameMemory(this.invocation, this.plan, this.#forkedSlots(before), this.results, this.headers);
    frame.payload = payload;
    frame.received = this.received;
    frame.claims = this.claims;
    frame.lastingHeaders = this.lastingHeaders;
    frame.committedTo = this.committedTo;
    frame.unit = unit;
    frame.#waiting = waiting;
    frame.#instant = this.now();
    return frame;
  }

  #forkedSlots(before: Frame | undefined): unknown[] {
    const slots = [...this.slots];
    const { memos, makers } = this.plan;
    for (const memo of memos) slots[memo] = before?.slots[memo];
    for (const { slot, memo, make } of makers) {
      const made = this.slots[memo];
      // Recreates only existing values, and only while the name still holds them.
      if (made !== undefined && made === this.slots[slot]) slots[slot] = slots[memo] ??= make();
    }
    return slots;
  }
}

/** A view of the same memory with its own transaction, for a parallel actionable. */
export class ParallelFrame implements UnitFrame {
  unit: unknown = null;
  readonly #waiting = new CommitCallbacks();

  constructor(readonly base: FrameMemory) {}

  get committedTo(): number {
    return this.base.committedTo;
  }
  set committedTo(index: number) {
    this.base.committedTo = index;
  }
  get stopped(): boolean {
    return this.base.stopped;
  }
  set stopped(stopped: boolean) {
    this.base.stopped = stopped;
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
  get lastingHeaders(): Frame['lastingHeaders'] {
    return this.base.lastingHeaders;
  }
  set lastingHeaders(headers: Frame['lastingHeaders']) {
    this.base.lastingHeaders = headers;
  }
  now(): string {
    return this.base.now();
  }
  afterCommit(work: Work): void | Promise<void> {
    if (this.unit === null) return work();
    this.#waiting.add(work);
  }
  flushCallbacks(committed: boolean): Promise<void> {
    return this.#waiting.flushCallbacks(committed);
  }
  forkFrame(payload: Payload, before?: Frame): Frame {
    return this.base.forkWithUnit(this.unit, this.#waiting, payload, before);
  }
}

export const createFrame = (invocation: Invocation, plan: ResourcePlan): FrameMemory =>
  new FrameMemory(invocation, plan, new Array<unknown>(plan.slots), new Array<unknown>(plan.results));
