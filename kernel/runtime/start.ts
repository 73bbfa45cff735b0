/** Decides which plugins are opened and which resources wait for unavailable servers. `retry-unavailable.ts` retries. */
import type { Log } from '../../contract/plugin.js';
import type { PlanSet, ResourcePlan } from '../../contract/resource-plan.js';
import type { Instance, Instances } from './instances.js';
import { getDetail, isServerUnavailable, type Lifecycle } from './lifecycle.js';
import { retryUntilAvailable, rejectWaiting, type RetryInput } from './retry-unavailable.js';

/**
 * False: compile only. `stores`: open only plugins with tables.
 * `jobs`: open only plugins with deferred work, and what they need.
 */
export type Connect = boolean | 'stores' | 'jobs';

export type Start = ReturnType<typeof createStart>;

export interface StartInput {
  readonly lifecycle: Lifecycle;
  readonly instances: Instances;
  readonly log: Log;
  readonly connect: Connect;
  readonly wait: boolean;
}

export function createStart({ lifecycle, instances, log, connect, wait }: StartInput) {
  const { unavailable } = lifecycle;
  const pending: Instance[] = [];
  const stop = new AbortController();
  const isAvailable = ({ key }: Instance): boolean => !unavailable.has(key);
  const isWaiting = ({ plugins }: ResourcePlan): boolean =>
    [...instances.collectDependencies(plugins)].some((key) => unavailable.has(key));

  /** Null when the server has become unavailable. */
  async function trySyncSchema(instance: Instance, tables: PlanSet['tables']): Promise<boolean | null> {
    try {
      return await lifecycle.syncSchemas([instance], tables);
    } catch (error) {
      if (!wait || !isServerUnavailable(error)) throw error;
      await lifecycle.close([instance]);
      unavailable.set(instance.key, getDetail(error));
      return null;
    }
  }

  return {
    async open(all: readonly Instance[]) {
      const chosen = selectInstances(connect, all, instances);
      if (wait) pending.push(...(await lifecycle.openAvailable(chosen, instances.collectDependencies)));
      else await lifecycle.open(chosen);
    },
    /** True: plans have to be compiled again. */
    async syncSchemas(all: readonly Instance[], tables: PlanSet['tables']) {
      let isStale = false;
      for (const instance of all.filter(isAvailable)) {
        const found = await trySyncSchema(instance, tables);
        if (found === null) pending.push(instance);
        else isStale ||= found;
      }
      return isStale;
    },
    listAvailable: (all: readonly Instance[]) => all.filter(isAvailable),
    /** Resources with unavailable servers respond with 503. */
    withAvailability: (plans: PlanSet) => (unavailable.size === 0 ? plans : rejectWaiting(plans, isWaiting)),
    /** False when the kernel closes first; rejects on a permanent error. */
    async wait(input: Pick<RetryInput, 'prepare' | 'onAvailable'>) {
      await retryUntilAvailable(pending, { ...input, lifecycle, log, signal: stop.signal });
      return !stop.signal.aborted;
    },
    stop: () => stop.abort(),
  };
}

function selectInstances(
  connect: Connect,
  all: readonly Instance[],
  { collectDependencies }: Instances,
): readonly Instance[] {
  if (connect === 'stores') return all.filter(({ runtime }) => runtime.syncSchema !== undefined);
  if (connect !== 'jobs') return connect ? all : [];
  const jobAdmins = all.filter(({ runtime }) => runtime.createJobAdmin !== undefined);
  // Dependencies are known once the handle exists.
  for (const instance of jobAdmins) instance.handle();
  const needed = collectDependencies(jobAdmins.map(({ key }) => key));
  return all.filter(({ key }) => needed.has(key));
}
