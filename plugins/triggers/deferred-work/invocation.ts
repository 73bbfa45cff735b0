/** Deferred or scheduled work as an invocation. */
import { runCleanups, type Cleanup } from '../../../contract/cleanup.js';
import type { Invocation, Payload } from '../../../contract/plan.js';

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
