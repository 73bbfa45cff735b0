/** Retries unavailable servers; until all are available, resources that need them respond with 503. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createFault } from '../../contract/fault.js';
import type { Step } from '../../contract/plan.js';
import type { Log } from '../../contract/plugin.js';
import { ResourcePhase } from '../../contract/slot.js';
import { compilePatterns } from '../plan/patterns.js';
import type { PlanSet, ResourcePlan } from '../../contract/resource-plan.js';
import type { Instance } from './instances.js';
import { getDetail, isServerUnavailable, type Lifecycle } from './lifecycle.js';

/** First and longest pause in milliseconds between two attempts. */
const FIRST = 50;
const LONGEST = 2000;

/** Exponential backoff with jitter, so that processes do not retry simultaneously. */
const getPause = (attempt: number): number =>
  Math.min(LONGEST, FIRST * 2 ** Math.min(attempt, 10)) * (0.75 + Math.random() / 4);

export interface RetryInput {
  readonly lifecycle: Lifecycle;
  readonly log: Log;
  /** Aborted when the kernel closes. */
  readonly signal: AbortSignal;
  /** Prepares an opened instance before it counts as available. */
  readonly prepare: (instance: Instance) => Promise<void>;
  /** Called when an instance became available. */
  readonly onAvailable: () => void;
}

/** Resolves when all are available or the kernel closes; rejects on the first permanent error. */
export async function retryUntilAvailable(pending: readonly Instance[], input: RetryInput): Promise<void> {
  let woken = new AbortController();
  // Ends the pauses early when an instance became available or the kernel closes.
  const pause = (ms: number) =>
    sleep(ms, undefined, { signal: AbortSignal.any([woken.signal, input.signal]) }).catch(() => undefined);
  const wakeAll = (): void => {
    woken.abort();
    woken = new AbortController();
  };
  await Promise.all(pending.map((instance) => retryInstance(instance, input, pause, wakeAll)));
}

async function retryInstance(
  instance: Instance,
  { lifecycle, log, signal, prepare, onAvailable }: RetryInput,
  pause: (ms: number) => Promise<unknown>,
  wake: () => void,
): Promise<void> {
  const { key } = instance;
  const { unavailable } = lifecycle;
  const since = performance.now();
  let isOpen = false;
  for (let attempt = 0; ; attempt++) {
    await pause(getPause(attempt));
    if (signal.aborted) return;
    try {
      if (!isOpen) await lifecycle.reopenInstance(instance);
      isOpen = true;
      if (signal.aborted) return await lifecycle.close([instance]);
      await prepare(instance);
      break;
    } catch (error) {
      if (signal.aborted) return;
      if (!isServerUnavailable(error)) throw error;
      unavailable.set(key, getDetail(error));
    }
  }
  unavailable.delete(key);
  log.info({ plugin: key, seconds: Math.round((performance.now() - since) / 1000) }, 'server available');
  onAvailable();
  // Other instances may depend on this one.
  wake();
}

/** Runs before the guards, because they may need the unavailable server. */
const REFUSE: Step = Object.freeze({
  id: 'waiting',
  phase: ResourcePhase.ADMIT,
  run: () => {
    throw createFault('REQ_WAITING', {}, { retryable: true, headers: { 'retry-after': '1' } });
  },
});

/** Returns the same set with resources that need an unavailable server responding with 503. */
export function rejectWaiting(set: PlanSet, waits: (plan: ResourcePlan) => boolean): PlanSet {
  const stands = new Map<ResourcePlan, ResourcePlan>();
  for (const plan of set.byId.values()) {
    if (waits(plan)) stands.set(plan, Object.freeze({ ...plan, admit: Object.freeze([REFUSE]) }));
  }
  const toServed = (plan: ResourcePlan): ResourcePlan => stands.get(plan) ?? plan;
  const replaceAll = (plans: PlanSet['byId']) =>
    new Map([...plans].map(([name, plan]) => [name, toServed(plan)] as const));
  const routes = set.patterns.routes.map(({ path, plan }) => ({ path, plan: plan && toServed(plan) }));
  return Object.freeze({
    ...set,
    byPath: replaceAll(set.byPath),
    byId: replaceAll(set.byId),
    patterns: compilePatterns(routes),
  });
}
