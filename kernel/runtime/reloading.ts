/**
 * Reads the definitions again and swaps the plans, all at once or not at all: whatever fails on the way leaves what is served
 * as it was. Who asks for it, and that only one runs at a time, is decided elsewhere.
 */
import type { Log } from '../contract/plugin.js';
import { hasErrors, type Problem } from '../contract/problem.js';
import type { Config } from '../analysis/config.js';
import type { PlanSet } from '../compile/plan.js';
import type { Document } from '../source/document.js';
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
  /** The files as they were read, for showing the problems. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly failure?: unknown;
}

/** What is served now; a reload changes it. */
export interface Current {
  plans: PlanSet;
  /** The same, but for what cannot be served yet. */
  shown: PlanSet;
  loaded: LoadedDefinitions;
  routes: readonly PluginRoute[];
  /** The files have errors that the plans do not show. */
  broken: boolean;
}

export interface ReloadInput {
  readonly project: Project;
  readonly config: Config;
  /** Has a database read the statements. */
  readonly ask: Ask | undefined;
  /** `refuse`: all or nothing. `skip`: what is sound is taken over. */
  readonly onProblem: 'refuse' | 'skip';
  readonly connect: Connect;
  readonly hooks: Hooks;
  readonly instances: Instances;
  readonly lifecycle: Lifecycle;
  readonly start: Pick<Start, 'there' | 'served'>;
  readonly compiling: Compiling;
  readonly now: Current;
  /** Plugins have begun to work. */
  readonly isServing: () => boolean;
  readonly swapped: () => void;
  readonly log: Log;
}

export function createReload(input: ReloadInput): () => Promise<ReloadOutcome> {
  const { project, config, onProblem, connect, hooks, instances, lifecycle, start, compiling, now, log } = input;

  /** `added`: filled with what this set is the first to use. */
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
      // Its plans are served already: what could not begin is told, and begins with the next start.
      if (input.isServing())
        await lifecycle.serve(added).catch((err: unknown) => log.error({ err }, 'a plugin did not begin'));
      return { applied: true, ...seen };
    } catch (failure) {
      now.broken = true;
      // What could not be opened must be tried again by the next reload, not taken for open.
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
