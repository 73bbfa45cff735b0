/** The queue over any store: adds jobs, notifies workers, runs jobs and records results. */
import type { JobEntry } from '../../../contract/deferred.js';
import { createFault } from '../../../contract/fault.js';
import type { Log } from '../../../contract/plugin.js';
import type { Queue, Run, TransactionalQueue } from '../kind.js';
import { dialect, type Dialect, type Statements } from '../../dialects/kind.js';
import { writeJson } from '../../../language/strings/exact-json.js';
import { startEngine, type Engine, type RecordResult } from './agenda.js';
import { createStoreWatch } from './store-watch.js';
import { parseNotes, parseWork } from './body.js';
import { createClaims } from './claims.js';
import { createLeases } from './leases.js';
import { createRun, type RunsInput, type EmitEvent } from './runs.js';
import type { Settings } from './settings.js';
import type { Entry, QueueStore, TransactionalStore } from './store.js';
import { createSweeper } from './sweeper.js';

export interface QueueInput {
  readonly store: QueueStore;
  readonly settings: Settings;
  readonly log: Log;
  /** Absent in processes that only inspect the queue. */
  readonly emit?: EmitEvent;
  /** Milliseconds that callers wait; Infinity for an in-process store. */
  readonly patience?: number;
  /** Operations inside transactions of a connection; null when the store is in another database. */
  readonly resolveTransactionalStore?: (statements: Statements) => Promise<TransactionalStore | null>;
}

export interface SharedQueue extends Queue {
  /** Other processes have added jobs. */
  readonly wake: () => void;
}

const WAKE_MS = 3;
const NAMELESS = { resource: undefined, part: undefined, attempt: undefined } as const;

export function createEntries(
  work: readonly JobEntry[],
  { maxPayload, sealing }: Pick<Settings, 'maxPayload' | 'sealing'>,
): readonly Entry[] {
  return work.map(({ work: deferred, delay, priority, retries }) => {
    const body = sealing.seal(deferred.id, writeJson(deferred) ?? 'null');
    const size = Buffer.byteLength(body);
    if (size > maxPayload) throw createFault('JOB_TOO_LARGE', { size, limit: maxPayload });
    const { id, resource, part, acceptedAt } = deferred;
    return { id, resource, part, acceptedAt, priority, retries, delay: Math.round(delay * 1000), body };
  });
}

export function createQueue({
  store,
  settings,
  log,
  patience,
  resolveTransactionalStore,
  emit = () => undefined,
}: QueueInput): SharedQueue {
  const watch = createStoreWatch(log, patience);
  const claims = createClaims(
    { claimJobs: (...given) => watch.track(store.claimJobs(...given)), release: (held) => store.release(held) },
    settings.concurrency,
    settings.lease,
  );
  const leases = createLeases((...given) => watch.track(store.renewLeases(...given)), settings.lease);
  const sweeper = createSweeper(
    async (lost) => {
      const found = await watch.track(store.sweepJobs(lost));
      for (const id of found.dead) emit({ what: 'work-ended', id, ...NAMELESS, outcome: 'dead', code: lost.code });
      return found;
    },
    settings.poll,
    log,
    wakeEngine,
  );
  const scheduleSweep = (milliseconds: number): void => sweeper.scheduleSweep(milliseconds);
  /** A failed lookup is repeated. */
  const places = new Map<Statements, Promise<TransactionalStore | null>>();
  function findTransactionalStore(statements: Statements): Promise<TransactionalStore | null> {
    const known = places.get(statements);
    if (known !== undefined) return known;
    const found = resolveTransactionalStore?.(statements) ?? Promise.resolve(null);
    places.set(statements, found);
    found.catch(() => places.delete(statements));
    return found;
  }
  const findSharedStore: RunsInput['findSharedStore'] = ({ kind, handle }) =>
    kind === dialect.kind ? findTransactionalStore(handle as Dialect) : Promise.resolve(null);
  const perform = createRun({ store, leases, settings, log, emit: emit, scheduleSweep, findSharedStore });
  let engine: Engine | null = null;
  let begun = false;
  let resting = false;
  let abandoned = false;
  let telling: NodeJS.Timeout | undefined;
  /** Each function ends a wait for which Agenda would keep the process alive. */
  const waits = new Set<() => void>();
  let letGo = false;

  function wakeEngine(): void {
    if (!resting) engine?.wake();
  }

  /** Wakes the other processes too when this one has too little free capacity. */
  function notifyAdded(delays: readonly number[]): void {
    const ready = delays.filter((delay) => delay <= 0).length;
    scheduleDelayed(delays);
    if (ready === 0) return;
    const mine = engine === null ? 0 : claims.countFree();
    if (mine > 0) wakeEngine();
    if (ready > mine) notifyOthers();
  }

  function scheduleDelayed(delays: readonly number[]): void {
    const delayed = delays.filter((delay) => delay > 0);
    if (delayed.length > 0) scheduleSweep(Math.min(...delayed));
  }

  /** Jobs added at the same moment cause one notification. */
  function notifyOthers(): void {
    if (store.notifyWorkers === undefined || telling !== undefined) return;
    telling = setTimeout(() => {
      telling = undefined;
      store.notifyWorkers?.().catch(() => undefined);
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
        const settle = await awaitOrRelease(Promise.resolve(done));
        return () => settle().finally(() => claims.releaseSlot());
      },
      onError: (error) => log.error({ err: error }, 'queue error'),
    });
    if (resting) return started.stop();
    engine = started;
    wakeEngine();
  }

  /** `Promise.race` with one shared promise would retain every wait. */
  function awaitOrRelease(done: Promise<RecordResult>): Promise<RecordResult> {
    return new Promise((resolve, reject) => {
      const endWait = (): void => resolve(() => Promise.resolve());
      if (letGo) return endWait();
      waits.add(endWait);
      done.finally(() => waits.delete(endWait)).then(resolve, reject);
    });
  }

  async function drainQueue(): Promise<void> {
    resting = true;
    await sweeper.stop();
    await claims.stop().catch(() => undefined);
    await claims.waitUntilIdle();
    leases.forfeitAll();
    letGo = true;
    for (const end of waits) end();
    await engine?.stop();
    engine = null;
  }

  return {
    async add(work) {
      if (work.length === 0) return;
      const entries = createEntries(work, settings);
      await watch.trackInTime(() => store.add(entries));
      notifyAdded(entries.map(({ delay }) => delay));
    },
    validate: (work) => void createEntries(work, settings),
    sealing: settings.sealing,
    async moveToDeadLetter(work, failure) {
      const [entry] = createEntries([work], { ...settings, maxPayload: Infinity });
      if (entry !== undefined) await watch.trackInTime(() => store.moveToDeadLetter(entry, failure));
    },
    async findTransactionalQueue(statements): Promise<TransactionalQueue | null> {
      const found = await findTransactionalStore(statements);
      if (found === null) return null;
      return {
        async add(work, transaction) {
          const entries = createEntries(work, settings);
          await found.add(entries, transaction);
          scheduleDelayed(entries.map(({ delay }) => delay));
        },
        // The number is not recorded: a query for none is cheap.
        committed: () => notifyAdded([0]),
      };
    },
    startWorker: begin,
    drain: drainQueue,
    async releaseClaims() {
      resting = abandoned = true;
      await sweeper.stop();
      const given = leases.forfeitAll();
      await claims.stop().catch(() => undefined);
      claims.stopWaiting();
      try {
        if (given.length > 0) await watch.track(store.release(given));
        await store.notifyWorkers?.();
      } catch {
        // The jobs return to the queue when their leases expire.
      }
    },
    wake: wakeEngine,
    list: (filter) => watch.trackOrFault(store.list(filter)),
    async show(id) {
      const found = await watch.trackOrFault(store.show(id));
      if (found === null) return null;
      const { sealing } = settings;
      return {
        view: found.view,
        work: parseWork({ id, body: found.body }, sealing),
        notes: parseNotes({ id, journal: found.journal }, sealing),
      };
    },
    async retry(id) {
      const put = await watch.trackOrFault(store.retry(id));
      if (put) {
        wakeEngine();
        await store.notifyWorkers?.().catch(() => undefined);
      }
      return put;
    },
    purge: (which) => watch.trackOrFault(store.purge(which)),
    backlog: () => watch.trackOrFault(store.countBacklog()),
  };
}
