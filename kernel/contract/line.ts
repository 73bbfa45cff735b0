/**
 * A bound on work of one sort: so many at a time, the others in turn by client, each no longer than its request may take. Who
 * by estimate would wait too long is refused at once. Nothing here does the work, or knows what it is.
 */
import { clientOf, type Asker } from './asker.js';
import type { Clock } from './clock.js';
import { Overload } from './overload.js';
import type { Turns } from './plan.js';

export interface Line extends Turns {
  /** `asker`: for whom; without one nothing but the line itself bounds the wait. */
  take(asker?: Asker | null): Promise<Leave>;
  run<T>(work: () => Promise<T>, asker?: Asker | null): Promise<T>;
  /** As `take`, without a promise: at once where nobody has to wait. */
  enter(asker: Asker | null, entered: Entered): void;
  /** Whoever waits, or comes from now on and would have to, is refused with this. */
  close(refusal: Error): void;
  readonly running: number;
  readonly waiting: number;
}

export type Leave = () => void;
/** With what refuses, or with what ends the turn. */
export type Entered = (refusal: Error | null, leave: Leave) => void;

/** Without it nothing is estimated and no wait ends by itself. */
export interface Timing {
  readonly clock: Clock;
  /** Milliseconds that anybody waits at most. */
  readonly patience?: number;
}

interface Waiter {
  readonly entered: Entered;
  /** Of the clock. */
  readonly until: number;
}

/** Milliseconds between two looks at who has waited too long. */
const TICK = 25;

/**
 * `full`: what whoever comes beyond the line, or has waited too long, is refused with; `seconds`: after which a place is
 * likely. A client with fewer who wait takes the last place of the one with most.
 */
export function createLine(
  atOnce: number | (() => number),
  places: number,
  full: (seconds: number) => Error,
  timing: Timing | null = null,
): Line {
  const most = typeof atOnce === 'number' ? () => atOnce : atOnce;
  const { clock = null, patience = Infinity } = timing ?? {};
  /** By client; the first one is next, and goes to the end with its turn. */
  const line = new Map<string, Waiter[]>();
  const load = new Overload();
  let running = 0;
  let waiting = 0;
  let watched = false;
  let closed: Error | null = null;

  const refusal = (estimate: number): Error => full(Math.max(1, Math.ceil(estimate / 1000)));

  /** A place that becomes free goes to the next in line, so nobody can slip in between. */
  const place = (): Leave => {
    const began = clock?.now() ?? 0;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      if (clock !== null) load.left(clock.now() - began);
      running--;
      hand();
    };
  };

  function hand(): void {
    while (waiting > 0 && running < most()) {
      const next = shift();
      if (next === undefined) return;
      running++;
      next.entered(null, place());
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

  /** The last of the client with most, if those are more than `own`. */
  function displaced(own: number): Waiter | undefined {
    let longest: Waiter[] = [];
    for (const one of line.values()) if (one.length > longest.length) longest = one;
    if (longest.length <= own + 1) return undefined;
    waiting--;
    return longest.pop();
  }

  function enter(asker: Asker | null, entered: Entered): void {
    if (running < most() && waiting === 0) {
      load.came(true);
      running++;
      entered(null, place());
      return;
    }
    if (closed !== null) return entered(closed, none);
    const client = clientOf(asker);
    const own = line.get(client);
    const ahead = own?.length ?? 0;
    load.came(ahead === 0);
    const now = clock?.now() ?? 0;
    const until = Math.min(now + patience, asker?.invocation.deadline ?? Infinity);
    // In turn: of every other client no more than of its own.
    const estimate = load.estimate(Math.min(waiting, (ahead + 1) * (line.size + 1)) + 1, most());
    if (clock !== null && estimate > load.allows(now, most(), ahead === 0, until - now)) {
      entered(refusal(estimate), none);
      return;
    }
    if (waiting >= places) {
      const other = displaced(ahead);
      (other?.entered ?? entered)(refusal(estimate), none);
      if (other === undefined) return;
    }
    const waiter = { entered, until };
    if (own === undefined) line.set(client, [waiter]);
    else own.push(waiter);
    waiting++;
    if (until < Infinity && !watched) void watch();
  }

  /** Ends waits that are too long; as long as anybody waits. */
  async function watch(): Promise<void> {
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
        for (const { entered } of late) entered(refusal(load.estimate(waiting, most())), none);
      }
    }
    watched = false;
  }

  const take = (asker: Asker | null = null): Promise<Leave> =>
    new Promise((resolve, reject) => {
      enter(asker, (failure, leave) => (failure === null ? resolve(leave) : reject(failure)));
    });

  return {
    enter,
    take,
    async run(work, asker) {
      const leave = await take(asker);
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
      for (const { entered } of all) entered(refused, none);
    },
    get running() {
      return running;
    },
    get waiting() {
      return waiting;
    },
  };
}

const none: Leave = () => undefined;
