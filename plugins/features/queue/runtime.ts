/**
 * Enqueues jobs within the transaction of the request, so that both commit or neither. A queue in another database
 * receives them through the outbox.
 */
import type { Deferral } from '../../../contract/deferred.js';
import { isObject, type Json } from '../../../contract/json.js';
import type { SharedUnit } from '../../../contract/plan.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { dialect, type Dialect } from '../../dialects/kind.js';
import { queue, type Queue, type TransactionalQueue } from '../../queues/kind.js';
import { endAtDeadline } from '../../shared/deadline.js';
import type { FeaturePlan } from '../kind.js';
import { deferralFeature, type DeferralFeature } from '../shared/deferral-feature.js';
import { createInbox, type SweepableInbox } from './inbox.js';
import { resolveInboxStore } from './inbox-stores.js';
import { createOutbox, type Outbox } from './outbox.js';

const CONNECTION = 'main';

/** Milliseconds between sweeps of inbox notes. */
const SWEEP_MS = 3_600_000;

interface Handle extends DeferralFeature {
  serve(): Promise<void>;
  stop(): Promise<void>;
}

/** How jobs pass from the transactions of one connection to the queue. */
type EnqueueStrategy = { readonly within: TransactionalQueue } | { readonly outbox: Outbox };

export default defineRuntime(deferralFeature, {
  create: (context): Handle => createHandle(context),
  serve: (handle) => handle.serve(),
  drain: (handle) => handle.stop(),
  close: (handle) => handle.stop(),
});

function createHandle({ resolve, find, log }: RuntimeContext): Handle {
  const store = (): Queue => resolve(queue, 'queue');
  /** By connection; a failed lookup is repeated. */
  const known = new Map<Dialect, Promise<EnqueueStrategy>>();
  const outboxes: Outbox[] = [];

  async function chooseStrategy(of: Dialect): Promise<EnqueueStrategy> {
    const within = await store().findTransactionalQueue(of);
    if (within !== null) return { within };
    const outbox = createOutbox({ connection: of, queue: store(), log });
    outboxes.push(outbox);
    return { outbox };
  }

  function resolveStrategy(of: Dialect): Promise<EnqueueStrategy> {
    const before = known.get(of);
    if (before !== undefined) return before;
    const found = chooseStrategy(of);
    known.set(of, found);
    found.catch(() => known.delete(of));
    return found;
  }

  const put: Deferral['enqueue'] = async (work, frame) => endAtDeadline(store().add(work), frame, 'queue');

  const putOn = (of: Dialect, { of: own }: SharedUnit): Pick<Deferral, 'enqueue' | 'begin'> => ({
    async enqueue(work, frame) {
      const { unit } = frame;
      if (unit === null) return put(work, frame);
      const found = await endAtDeadline(resolveStrategy(of), frame, 'queue');
      if ('within' in found) {
        await found.within.add(work, own(unit));
        await frame.afterCommit(() => found.within.committed());
      } else {
        // A job that the queue never accepts is rejected while the request can fail.
        store().validate?.(work);
        await found.outbox.add(work, own(unit));
        await frame.afterCommit(() => found.outbox.scheduleTransfer());
      }
    },
    async begin(work) {
      if (work.row === undefined) return;
      const found = await resolveStrategy(of);
      if ('outbox' in found) await found.outbox.begin(work);
    },
  });

  const accepting = new Set<Dialect>();
  const putIn = memoizeByUnit((shared): Pick<Deferral, 'enqueue' | 'begin'> => {
    if (shared.kind !== dialect.kind) return { enqueue: put };
    accepting.add(shared.handle as Dialect);
    return putOn(shared.handle as Dialect, shared);
  });

  const inboxes: SweepableInbox[] = [];
  const inboxIn = memoizeByUnit((shared): SweepableInbox | null => {
    const inboxStore = resolveInboxStore(shared);
    if (inboxStore === null) return null;
    const made = createInbox(inboxStore, shared.of, store, log);
    inboxes.push(made);
    return made;
  });
  let sweeping: NodeJS.Timeout | undefined;

  return {
    createDeferrals: () => ({ enqueue: put, enqueueWithin: putIn, inboxIn }),
    plan: ({ value }): FeaturePlan => {
      const settings = { ...readSettings(value), ...(isObject(value['queue']) && readSettings(value['queue'])) };
      const isNothing = !isObject(value['queue']) && Object.keys(settings).length === 0;
      return { steps: [], ...(!isNothing && { defers: { ...settings, enqueue: put, enqueueWithin: putIn, inboxIn } }) };
    },
    async serve() {
      const sweepInboxes = async (): Promise<void> => {
        for (const inbox of inboxes) await inbox.sweepNotes();
      };
      sweeping ??= setInterval(() => void sweepInboxes(), SWEEP_MS).unref();
      // Earlier jobs may be in the outbox of `main`.
      const main = find?.(dialect, CONNECTION) ?? null;
      for (const of of new Set([...(main === null ? [] : [main]), ...accepting])) {
        const found = await resolveStrategy(of);
        if ('outbox' in found) await found.outbox.serve();
      }
    },
    async stop() {
      clearInterval(sweeping);
      for (const outbox of outboxes) await outbox.stop();
    },
  };
}

/**
 * Jobs of one request are enqueued together. One instance per kind of transaction, because a document store in tables
 * accesses that of its connection differently.
 */
function memoizeByUnit<T>(make: (shared: SharedUnit) => T): (shared: SharedUnit) => T {
  const known = new Map<unknown, Map<SharedUnit['of'], T>>();
  return (shared) => {
    const sorts = known.get(shared.handle) ?? new Map<SharedUnit['of'], T>();
    known.set(shared.handle, sorts);
    const made = sorts.get(shared.of) ?? make(shared);
    sorts.set(shared.of, made);
    return made;
  };
}

/** Those of an actionable override those of its resource. */
function readSettings(value: Readonly<Record<string, Json>>): Pick<Deferral, 'delay' | 'priority' | 'retries'> {
  const names = ['delay', 'priority', 'retries'] as const;
  return Object.fromEntries(names.flatMap((name) => (typeof value[name] === 'number' ? [[name, value[name]]] : [])));
}
