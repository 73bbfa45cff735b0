/** Reads the definitions again and replaces the plans atomically. The caller serializes reloads. */
import type { Log } from '../../contract/plugin.js';
import { hasErrors, type Problem } from '../../contract/problem.js';
import type { Config } from '../../language/analysis/config.js';
import type { PlanSet } from '../../contract/resource-plan.js';
import type { Document } from '../../language/source/document.js';
import type { FollowSecrets } from '../../language/project/stored-objects.js';
import type { PlanCompiler } from './plan-compiler.js';
import type { Hooks, PluginRoute } from './hooks.js';
import type { Instance, Instances } from './instances.js';
import type { Lifecycle } from './lifecycle.js';
import {
  loadDefinitions,
  type CheckAnalysis,
  type LoadedDefinitions,
  type Project,
} from '../../language/project/project.js';
import { retainLastValidPlans, logGuardChanges } from './plan-retention.js';
import type { Connect, Start } from './start.js';

export interface ReloadOutcome {
  readonly applied: boolean;
  readonly problems: readonly Problem[];
  readonly documents: ReadonlyMap<string, Document>;
  readonly failure?: unknown;
}

export interface KernelState {
  plans: PlanSet;
  /** As served: resources with unavailable servers respond with 503. */
  shown: PlanSet;
  loaded: LoadedDefinitions;
  routes: readonly PluginRoute[];
  /** The files have errors that the plans do not contain. */
  broken: boolean;
}

export interface ReloadInput {
  readonly project: Project;
  readonly config: Config;
  readonly checkAnalysis: CheckAnalysis | undefined;
  /** `refuse`: all or nothing. `skip`: valid resources are applied. */
  readonly onProblem: 'refuse' | 'skip';
  readonly connect: Connect;
  readonly hooks: Hooks;
  readonly instances: Instances;
  readonly lifecycle: Lifecycle;
  readonly start: Pick<Start, 'listAvailable' | 'withAvailability'>;
  readonly compiling: PlanCompiler;
  readonly now: KernelState;
  readonly followSecrets: FollowSecrets;
  readonly isServing: () => boolean;
  readonly onReload: () => void;
  readonly log: Log;
}

export function createReload(input: ReloadInput): () => Promise<ReloadOutcome> {
  const { project, config, onProblem, connect, hooks, instances, lifecycle, start, compiling, now, log } = input;

  /** Adds the instances first used by this set to `added`. */
  async function compileNext({ analysis }: LoadedDefinitions, added: Instance[]): Promise<PlanSet> {
    added.push(...(await instances.load(compiling.collectUses(analysis), config.chosen)));
    if (connect === true) await lifecycle.open(added);
    let compiled = compiling.compile(analysis, config);
    const isSynced = connect === true && config.migrate;
    if (isSynced && (await lifecycle.syncSchemas(start.listAvailable(instances.all), compiled.tables))) {
      compiling.forgetPlans();
      compiled = compiling.compile(analysis, config);
    }
    now.broken ||= compiled.failures.length > 0;
    return now.broken ? retainLastValidPlans(now.plans, compiled, analysis) : compiled;
  }

  function replacePlans(plans: PlanSet, loaded: LoadedDefinitions): void {
    logGuardChanges(now.plans, plans, log);
    now.plans = plans;
    now.shown = start.withAvailability(plans);
    now.routes = hooks.routes;
    now.loaded = loaded;
    compiling.recordServed(loaded.analysis);
    input.onReload();
  }

  return async () => {
    let next: LoadedDefinitions;
    try {
      const read = await loadDefinitions(project, config, input.checkAnalysis);
      next = await input.followSecrets(read, start.listAvailable(instances.all));
    } catch (failure) {
      now.broken = true;
      return { ...createUnchangedOutcome(now), failure };
    }
    now.broken = hasErrors(next.problems);
    const seen = { problems: next.problems, documents: next.analysis.documents };
    if (now.broken && onProblem === 'refuse') return { applied: false, ...seen };
    const added: Instance[] = [];
    const answered = hooks.routes;
    try {
      replacePlans(await compileNext(next, added), next);
      // The plans are served already, so a plugin that fails to start is only logged.
      if (input.isServing())
        await lifecycle.serve(added).catch((err: unknown) => log.error({ err }, 'plugin did not start'));
      const failures = now.plans.failures.map(({ problem }) => problem);
      return { applied: true, ...seen, problems: [...seen.problems, ...failures] };
    } catch (failure) {
      now.broken = true;
      // The next reload must open these instances again.
      instances.remove(added);
      hooks.restoreRoutes(answered);
      await lifecycle.close(added);
      return { applied: false, ...seen, failure };
    }
  };
}

export const createUnchangedOutcome = ({ loaded }: KernelState): ReloadOutcome => ({
  applied: false,
  problems: loaded.problems,
  documents: loaded.analysis.documents,
});
