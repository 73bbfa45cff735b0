/**
 * A concurrency limiter with a bounded queue, served round-robin by client. Long estimated waits are rejected
 * immediately.
 */
import { getClientKey, type Requester } from './requester.js';
import type { Clock } from './clock.js';
import { Overload } from './overload.js';
import type { StepLimiter } from './plan.js';

export interface Limiter extends StepLimiter {
  /** Without `requester`, only the queue's limits bound the wait. */
  acquire(requester?: Requester | null): Promise<ReleaseSlot>;
  run<T>(work: () => Promise<T>, requester?: Requester | null): Promise<T>;
  /** As `acquire`, with a callback; synchronous when a slot is free. */
  requestSlot(requester: Requester | null, entered: SlotCallback): void;
  /** Rejects all waiting callers, and later ones. */
  close(refusal: Error): void;
  readonly running: number;
  readonly waiting: number;
}

/** `isTypical` false: a client determined the duration, so it says nothing about other waits. Default true. */
export type ReleaseSlot = (isTypical?: boolean) => void;
/** Receives the rejection, or the function that releases the slot. */
export type SlotCallback = (refusal: Error | null, leave: ReleaseSlot) => void;

/** Without it, waits are not estimated and have no timeout. */
export interface LimiterTiming {
  readonly clock: Clock;
  /** Maximum wait in milliseconds. */
  readonly patience?: number;
  /** False: only `patience` and deadlines bound waits, after another limiter. */
  readonly detectsOverload?: boolean;
}

interface Waiter {
  readonly entered: SlotCallback;
  readonly until: number;
}

/** Milliseconds between scans for expired waits. */
const TICK = 25;

/**
 * `full` receives the retry delay. In a full queue, a client with fewer waiters displaces one of the client with the
 * most.
 */
export function createLimiter(
  atOnce: number | (() => number),
  places: number,
  full: (seconds: number) => Error,
  timing: LimiterTiming | null = null,
): Limiter {
  const most = typeof atOnce === 'number' ? () => atOnce : atOnce;
  const { clock = null, patience = Infinity, detectsOverload = true } = timing ?? {};
  /** In round-robin order: a served client moves to the end. */
  const line = new Map<string, Waiter[]>();
  const load = new Overload(detectsOverload);
  let running = 0;
  let waiting = 0;
  let watched = false;
  let closed: Error | null = null;

  const createRejection = (estimate: number): Error => full(Math.max(1, Math.ceil(estimate / 1000)));

  /** A freed slot passes to the next waiter. */
  const occupySlot = (entered: SlotCallback): void => {
    const began = clock?.now() ?? 0;
    let over = false;
    running++;
    entered(null, (isTypical = true) => {
      if (over) return;
      over = true;
      if (clock !== null) load.recordCompletion(isTypical ? clock.now() - began : null);
      running--;
      serveWaiters();
    });
  };

  const reject = (entered: SlotCallback, refusal: Error): void => entered(refusal, doNothing);

  function serveWaiters(): void {
    while (waiting > 0 && running < most()) {
      const next = shift();
      if (next === undefined) return;
      occupySlot(next.entered);
    }
  }

  function shift(): Waiter | undefined {
    for (const [client, own] of line) {
      const next = own.shift();
      if (own.length === 0) line.delete(client);
      else if (line.size > 1) {
        line.delete(client);
        line.set(client, own);
      }
      waiting--;
      return next;
    }
    return undefined;
  }

  /** Removes the last waiter of the client with the most, if those exceed `own` plus one. */
  function displaceWaiter(own: number): Waiter | undefined {
    let longest: Waiter[] = [];
    for (const one of line.values()) if (one.length > longest.length) longest = one;
    if (longest.length <= own + 1) return undefined;
    waiting--;
    return longest.pop();
  }

  function requestSlot(requester: Requester | null, entered: SlotCallback): void {
    if (running < most() && waiting === 0) {
      load.recordArrival(true);
      occupySlot(entered);
      return;
    }
    if (closed !== null) return reject(entered, closed);
    const client = getClientKey(requester);
    const own = line.get(client);
    const ahead = own?.length ?? 0;
    load.recordArrival(ahead === 0);
    const now = clock?.now() ?? 0;
    const until = Math.min(now + patience, requester?.invocation.deadline ?? Infinity);
    // Round-robin: each other client precedes this waiter with at most as many waiters as its own client.
    const estimate = load.estimateWait(Math.min(waiting, (ahead + 1) * (line.size + 1)) + 1, most());
    if (clock !== null && estimate > load.getAllowedWait(now, most(), ahead === 0, until - now)) {
      reject(entered, createRejection(estimate));
      return;
    }
    if (waiting >= places) {
      const other = displaceWaiter(ahead);
      reject(other?.entered ?? entered, createRejection(estimate));
      if (other === undefined) return;
    }
    const waiter = { entered, until };
    if (own === undefined) line.set(client, [waiter]);
    else own.push(waiter);
    waiting++;
    if (until < Infinity && !watched) void expireWaiters();
  }

  /** Runs while there are waiters. */
  async function expireWaiters(): Promise<void> {
    watched = true;
    while (clock !== null && waiting > 0) {
      await clock.wait(TICK);
      const now = clock.now();
      for (const [client, own] of [...line]) {
        const late = own.filter(({ until }) => until <= now);
        if (late.length === 0) continue;
        const rest = own.filter(({ until }) => until > now);
        if (rest.length > 0) line.set(client, rest);
        else line.delete(client);
        waiting -= late.length;
        for (const { entered } of late) reject(entered, createRejection(load.estimateWait(waiting, most())));
      }
    }
    watched = false;
  }

  const acquireSlot = (requester: Requester | null = null): Promise<ReleaseSlot> =>
    new Promise((resolve, reject) => {
      requestSlot(requester, (failure, leave) => (failure === null ? resolve(leave) : reject(failure)));
    });

  return {
    requestSlot,
    acquire: acquireSlot,
    async run(work, requester) {
      const leave = await acquireSlot(requester);
      try {
        return await work();
      } finally {
        leave();
      }
    },
    close(refused) {
      closed = refused;
      const all = [...line.values()].flat();
      line.clear();
      waiting = 0;
      for (const { entered } of all) reject(entered, refused);
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}

const doNothing: ReleaseSlot = () => undefined;
