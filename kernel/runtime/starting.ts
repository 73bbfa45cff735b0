/** Decides which plugins are opened and which resources wait for unavailable servers. The retries are in `waiting.ts`. */
import type { Log } from '../../contract/plugin.js';
import type { PlanSet } from '../plan/plan.js';
import type { Handles } from '../plan/tools.js';
import type { Instance, Instances } from './instances.js';
import { detailOf, isAway, type Lifecycle } from './lifecycle.js';
import { waitFor, whileWaiting, type WaitingInput } from './waiting.js';

/**
 * False: compile only. `stores`: open only plugins with tables.
 * `desks`: open only plugins with deferred work, and what they need.
 */
export type Connect = boolean | 'stores' | 'desks';

export interface Start {
  /** `begin` names the resource being compiled, so that its dependencies are recorded. */
  readonly handles: Handles;
  readonly begin: (resource: string) => void;
  open(instances: readonly Instance[]): Promise<void>;
  adopt(instances: readonly Instance[], tables: PlanSet['tables']): Promise<void>;
  there(instances: readonly Instance[]): readonly Instance[];
  /** Resources with unavailable servers respond with 503. */
  served(plans: PlanSet): PlanSet;
  /** False when the kernel closes first; rejects on a permanent error. */
  wait(input: Pick<WaitingInput, 'prepare' | 'came'>): Promise<boolean>;
  stop(): void;
}

export interface StartInput {
  readonly lifecycle: Lifecycle;
  readonly instances: Instances;
  readonly log: Log;
  readonly connect: Connect;
  readonly wait: boolean;
}

export function createStart({ lifecycle, instances, log, connect, wait }: StartInput): Start {
  const { away } = lifecycle;
  const pending: Instance[] = [];
  const asked = new Map<string, Set<string>>();
  let asking = new Set<string>();
  const stop = new AbortController();
  const isThere = ({ key }: Instance): boolean => !away.has(key);
  const waits = (resource: string): boolean =>
    [...instances.reach(asked.get(resource) ?? [])].some((key) => away.has(key));

  /** False when the server has become unavailable. */
  async function adopted(instance: Instance, tables: PlanSet['tables']): Promise<boolean> {
    try {
      await lifecycle.adopt([instance], tables);
      return true;
    } catch (error) {
      if (!wait || !isAway(error)) throw error;
      await lifecycle.close([instance]);
      away.set(instance.key, detailOf(error));
      return false;
    }
  }

  return {
    handles: {
      handle: (id) => {
        asking.add(id);
        return instances.handle(id);
      },
      resolve: (plugin, kind, name) => instances.resolve(plugin, kind, name),
    },
    begin: (resource) => void asked.set(resource, (asking = new Set())),
    async open(all) {
      const chosen = chooseFor(connect, all, instances);
      if (wait) pending.push(...(await lifecycle.openPatiently(chosen, instances.reach)));
      else await lifecycle.open(chosen);
    },
    async adopt(all, tables) {
      for (const instance of all.filter(isThere)) if (!(await adopted(instance, tables))) pending.push(instance);
    },
    there: (all) => all.filter(isThere),
    served: (plans) => (away.size === 0 ? plans : whileWaiting(plans, waits)),
    async wait(input) {
      await waitFor(pending, { ...input, lifecycle, log, signal: stop.signal });
      return !stop.signal.aborted;
    },
    stop: () => stop.abort(),
  };
}

function chooseFor(connect: Connect, all: readonly Instance[], { reach }: Instances): readonly Instance[] {
  if (connect === 'stores') return all.filter(({ runtime }) => runtime.adopt !== undefined);
  if (connect !== 'desks') return connect ? all : [];
  const desks = all.filter(({ runtime }) => runtime.desk !== undefined);
  // Dependencies are known once the handle exists.
  for (const desk of desks) desk.handle();
  const needed = reach(desks.map(({ key }) => key));
  return all.filter(({ key }) => needed.has(key));
}
