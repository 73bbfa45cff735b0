/** Reads the definitions again and replaces the plans atomically. The caller serializes reloads. */
import type { Log } from '../../contract/plugin.js';
import { hasErrors, type Problem } from '../../contract/problem.js';
import type { Config } from '../../language/analysis/config.js';
import type { PlanSet } from '../plan/plan.js';
import type { Document } from '../../language/source/document.js';
import type { Compiling } from './compiling.js';
import type { Hooks, PluginRoute } from './hooks.js';
import type { Instance, Instances } from './instances.js';
import type { Lifecycle } from './lifecycle.js';
import { loadDefinitions, type Ask, type LoadedDefinitions, type Project } from './project.js';
import { keepServing, tellGuards } from './serving.js';
import type { Connect, Start } from './starting.js';

export interface ReloadOutcome {
  readonly applied: boolean;
  readonly problems: readonly Problem[];
  readonly documents: ReadonlyMap<string, Document>;
  readonly failure?: unknown;
}

export interface Current {
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
  readonly ask: Ask | undefined;
  /** `refuse`: all or nothing. `skip`: valid resources are applied. */
  readonly onProblem: 'refuse' | 'skip';
  readonly connect: Connect;
  readonly hooks: Hooks;
  readonly instances: Instances;
  readonly lifecycle: Lifecycle;
  readonly start: Pick<Start, 'there' | 'served'>;
  readonly compiling: Compiling;
  readonly now: Current;
  readonly isServing: () => boolean;
  readonly swapped: () => void;
  readonly log: Log;
}

export function createReload(input: ReloadInput): () => Promise<ReloadOutcome> {
  const { project, config, onProblem, connect, hooks, instances, lifecycle, start, compiling, now, log } = input;

  /** Adds the instances first used by this set to `added`. */
  async function compileAnew({ analysis }: LoadedDefinitions, added: Instance[]): Promise<PlanSet> {
    added.push(...(await instances.load(compiling.uses(analysis), config.chosen)));
    if (connect === true) await lifecycle.open(added);
    const compiled = compiling.compile(analysis, config);
    if (connect === true && config.migrate) await lifecycle.adopt(start.there(instances.all), compiled.tables);
    return now.broken ? keepServing(now.plans, compiled, analysis) : compiled;
  }

  function swap(plans: PlanSet, loaded: LoadedDefinitions): void {
    tellGuards(now.plans, plans, log);
    now.plans = plans;
    now.shown = start.served(plans);
    now.routes = hooks.routes;
    now.loaded = loaded;
    compiling.served(loaded.analysis);
    input.swapped();
  }

  return async () => {
    let next: LoadedDefinitions;
    try {
      next = await loadDefinitions(project, config, input.ask);
    } catch (failure) {
      now.broken = true;
      return { ...unchanged(now), failure };
    }
    now.broken = hasErrors(next.problems);
    const seen = { problems: next.problems, documents: next.analysis.documents };
    if (now.broken && onProblem === 'refuse') return { applied: false, ...seen };
    const added: Instance[] = [];
    const answered = hooks.routes;
    try {
      swap(await compileAnew(next, added), next);
      // The plans are served already, so a plugin that fails to start is only logged.
      if (input.isServing())
        await lifecycle.serve(added).catch((err: unknown) => log.error({ err }, 'a plugin did not begin'));
      return { applied: true, ...seen };
    } catch (failure) {
      now.broken = true;
      // The next reload must open these instances again.
      instances.forget(added);
      hooks.restoreRoutes(answered);
      await lifecycle.close(added);
      return { applied: false, ...seen, failure };
    }
  };
}

export const unchanged = ({ loaded }: Current): ReloadOutcome => ({
  applied: false,
  problems: loaded.problems,
  documents: loaded.analysis.documents,
});
