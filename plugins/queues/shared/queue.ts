/** The queue over any store: adds jobs, notifies workers, runs jobs and records results. Knows neither SQL nor a driver. */
import type { Put } from '../../../contract/deferred.js';
import { fault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import type { Queue, Run, Within } from '../kind.js';
import { dialect, type Dialect, type Statements } from '../../dialects/kind.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import { startEngine, type Engine, type Settle } from './agenda.js';
import { createWatch } from './away.js';
import { notesOf, workOf } from './body.js';
import { createClaims } from './claims.js';
import { createLeases } from './leases.js';
import { createRun, type RunsInput, type Tell } from './runs.js';
import type { Settings } from './settings.js';
import type { Entry, Held, Store } from './store.js';
import { createSweeper } from './sweeper.js';

export interface QueueInput {
  readonly store: Store;
  readonly settings: Settings;
  readonly log: Log;
  /** Absent in processes that only inspect the queue. */
  readonly told?: Tell;
  /** Milliseconds that callers wait; Infinity for an in-process store. */
  readonly patience?: number;
  /** Operations inside transactions of a connection; null when the store is in another database. */
  readonly within?: (statements: Statements) => Promise<Inside | null>;
}

export interface Inside {
  add(entries: readonly Entry[], transaction: unknown): Promise<void>;
  /** As `done` of the store. */
  done(held: Held, transaction: unknown): Promise<boolean>;
}

export interface SharedQueue extends Queue {
  /** Other processes have added jobs. */
  readonly wake: () => void;
}

const WAKE_MS = 3;
const NAMELESS = { resource: undefined, part: undefined, attempt: undefined } as const;

export function entriesOf(
  work: readonly Put[],
  { maxPayload, sealing }: Pick<Settings, 'maxPayload' | 'sealing'>,
): readonly Entry[] {
  return work.map(({ work: deferred, delay, priority, retries }) => {
    const body = sealing.seal(deferred.id, writeJson(deferred) ?? 'null');
    const size = Buffer.byteLength(body);
    if (size > maxPayload) throw fault('JOB_TOO_LARGE', { size, limit: maxPayload });
    const { id, resource, part, acceptedAt } = deferred;
    return { id, resource, part, acceptedAt, priority, retries, delay: Math.round(delay * 1000), body };
  });
}

export function createQueue({
  store,
  settings,
  log,
  patience,
  within,
  told = () => undefined,
}: QueueInput): SharedQueue {
  const watch = createWatch(log, patience);
  const claims = createClaims(
    { claim: (...given) => watch.note(store.claim(...given)), release: (held) => store.release(held) },
    settings.concurrency,
    settings.lease,
  );
  const leases = createLeases((...given) => watch.note(store.renew(...given)), settings.lease);
  const sweeper = createSweeper(
    async (lost) => {
      const found = await watch.note(store.sweep(lost));
      for (const id of found.dead) told({ what: 'work-ended', id, ...NAMELESS, outcome: 'dead', code: lost.code });
      return found;
    },
    settings.poll,
    log,
    wake,
  );
  const later = (milliseconds: number): void => sweeper.later(milliseconds);
  /** A failed lookup is repeated. */
  const places = new Map<Statements, Promise<Inside | null>>();
  function insideOf(statements: Statements): Promise<Inside | null> {
    const known = places.get(statements);
    if (known !== undefined) return known;
    const found = within?.(statements) ?? Promise.resolve(null);
    places.set(statements, found);
    found.catch(() => places.delete(statements));
    return found;
  }
  const inside: RunsInput['inside'] = ({ kind, handle }) =>
    kind === dialect.kind ? insideOf(handle as Dialect) : Promise.resolve(null);
  const perform = createRun({ store, leases, settings, log, tell: told, later, inside });
  let engine: Engine | null = null;
  let begun = false;
  let resting = false;
  let abandoned = false;
  let telling: NodeJS.Timeout | undefined;
  /** Each function ends a wait for a started job, for which Agenda would otherwise keep the process alive. */
  const waits = new Set<() => void>();
  let letGo = false;

  function wake(): void {
    if (!resting) engine?.wake();
  }

  /** Wakes the other processes too when this one has too little free capacity. */
  function added(delays: readonly number[]): void {
    const ready = delays.filter((delay) => delay <= 0).length;
    soonest(delays);
    if (ready === 0) return;
    const mine = engine === null ? 0 : claims.free();
    if (mine > 0) wake();
    if (ready > mine) tell();
  }

  function soonest(delays: readonly number[]): void {
    const delayed = delays.filter((delay) => delay > 0);
    if (delayed.length > 0) later(Math.min(...delayed));
  }

  /** Jobs added at the same moment cause one notification. */
  function tell(): void {
    if (store.notify === undefined || telling !== undefined) return;
    telling = setTimeout(() => {
      telling = undefined;
      store.notify?.().catch(() => undefined);
    }, WAKE_MS);
  }

  /** The watch logs the failure. */
  const next = () => claims.next().catch(() => undefined);

  async function begin(run: Run): Promise<void> {
    if (begun || resting) return;
    begun = true;
    // Due jobs get their position before the first claim.
    await sweeper.start();
    const started = await startEngine({
      jobs: () => store.jobs(),
      next,
      concurrency: settings.concurrency,
      async run(job) {
        const done = abandoned ? () => store.release([job]).catch(() => undefined) : perform(job, run);
        const settle = await orLetGo(Promise.resolve(done));
        return () => settle().finally(() => claims.gone());
      },
      failed: (error) => log.error({ err: error }, 'the queue stumbled'),
    });
    if (resting) return started.stop();
    engine = started;
    wake();
  }

  /** `Promise.race` with one shared promise would retain every wait. */
  function orLetGo(done: Promise<Settle>): Promise<Settle> {
    return new Promise((resolve, reject) => {
      const end = (): void => resolve(() => Promise.resolve());
      if (letGo) return end();
      waits.add(end);
      done.finally(() => waits.delete(end)).then(resolve, reject);
    });
  }

  async function rest(): Promise<void> {
    resting = true;
    await sweeper.stop();
    await claims.stop().catch(() => undefined);
    await claims.settled();
    leases.surrender();
    letGo = true;
    for (const end of waits) end();
    await engine?.stop();
    engine = null;
  }

  return {
    async add(work) {
      if (work.length === 0) return;
      const entries = entriesOf(work, settings);
      await watch.soon(() => store.add(entries));
      added(entries.map(({ delay }) => delay));
    },
    judge: (work) => void entriesOf(work, settings),
    sealing: settings.sealing,
    async bury(work, failure) {
      const [entry] = entriesOf([work], { ...settings, maxPayload: Infinity });
      if (entry !== undefined) await watch.soon(() => store.bury(entry, failure));
    },
    async within(statements): Promise<Within | null> {
      const found = await insideOf(statements);
      if (found === null) return null;
      return {
        async add(work, transaction) {
          const entries = entriesOf(work, settings);
          await found.add(entries, transaction);
          soonest(entries.map(({ delay }) => delay));
        },
        // The number is not recorded: a query for none is cheap.
        committed: () => added([0]),
      };
    },
    work: begin,
    rest,
    async abandon() {
      resting = abandoned = true;
      await sweeper.stop();
      const given = leases.surrender();
      await claims.stop().catch(() => undefined);
      claims.letGo();
      try {
        if (given.length > 0) await watch.note(store.release(given));
        await store.notify?.();
      } catch {
        // The jobs return to the queue when their leases expire.
      }
    },
    wake,
    list: (filter) => watch.answer(store.list(filter)),
    async show(id) {
      const found = await watch.answer(store.show(id));
      if (found === null) return null;
      const { sealing } = settings;
      return {
        view: found.view,
        work: workOf({ id, body: found.body }, sealing),
        notes: notesOf({ id, journal: found.journal }, sealing),
      };
    },
    async retry(id) {
      const put = await watch.answer(store.retry(id));
      if (put) {
        wake();
        await store.notify?.().catch(() => undefined);
      }
      return put;
    },
    purge: (which) => watch.answer(store.purge(which)),
    backlog: () => watch.answer(store.backlog()),
  };
}
