/** Compiles an analysis into plans, or reuses earlier ones. */
import { BootError } from '../../contract/boot-error.js';
import type { Execute } from '../../contract/plan.js';
import type { Config } from '../../language/analysis/config.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { compilePlanSet } from '../plan/plan-set.js';
import { createPlanCache } from '../../language/analysis/set-lookups.js';
import type { PlanObserver, PlanSet } from '../../contract/resource-plan.js';
import type { Hooks, LiveHooks } from './hooks.js';
import { InvalidDefinitionsError } from '../../language/project/invalid-definitions.js';
import type { Project } from '../../language/project/project.js';
import { listReservedPaths, assertPathsFree } from './plan-retention.js';
import type { Instances } from './instances.js';

export type PlanCompiler = ReturnType<typeof createPlanCompiler>;

export interface CompilingInput {
  readonly project: Project;
  readonly hooks: Hooks;
  /** Null before the hooks are sealed. */
  readonly live: () => LiveHooks | null;
  readonly instances: Instances;
  /** `skip`: what a plugin rejects is left out. */
  readonly onProblem: 'refuse' | 'skip';
}

export function createPlanCompiler({ project, hooks, live, instances, onProblem }: CompilingInput) {
  const { registry } = project;
  // Plugins of a served set remain in use, because a broken file must not lift a restriction that one of them enforces.
  const before = new Set<string>();
  let observer: PlanObserver | null = null;
  let cache = createPlanCache(registry, project.analyser !== null);
  /** Called when plugins may plan differently from now on. */
  const forgetPlans = (): void => void (cache = createPlanCache(registry, project.analyser !== null));
  /** The plugins that this set, the config or an earlier served set needs. */
  const collectUses = (analysis: Analysis): Set<string> =>
    new Set([...project.configUses, ...before, ...analysis.uses]);

  const wrapExecute = (mode: string, execute: Execute, action: { key: string; mode: string }): Execute => {
    const tap = live()?.execute(mode) ?? null;
    if (tap === null) return execute;
    return async (frame) => {
      const early = await tap(frame, action);
      return early === undefined ? execute(frame) : early.value;
    };
  };

  function compilePlans(analysis: Analysis, config: Config): PlanSet {
    const uses = new Set([...collectUses(analysis), ...config.chosen.map(({ kind, name }) => `${kind}:${name}`)]);
    const services = {
      registry,
      handles: instances,
      intercept: wrapExecute,
      runner: hooks.partRunner,
      planObserver: observer,
      profile: config.profile,
      testing: config.testing,
      uses,
      watched: (mode: string) => live()?.readsReplies !== false || live()?.execute(mode) !== null,
    };
    const compiled = compilePlanSet(analysis, services, cache, [observer, uses, [...instances.all]]);
    assertPathsFree(compiled, [
      ...hooks.routes,
      ...listReservedPaths(config.http.status_path, hooks.upgrades, hooks.routes),
    ]);
    return compiled;
  }

  return {
    collectUses,
    observe: (by: PlanObserver | null) => void (observer = by),
    forgetPlans,
    compile(analysis: Analysis, config: Config): PlanSet {
      // Taps may change definitions.
      if (hooks.all.compile.isUsed()) forgetPlans();
      for (const resource of analysis.resources) {
        if (resource.sound) hooks.all.compile.call({ id: resource.id, definition: resource.value });
      }
      try {
        const plans = compilePlans(analysis, config);
        const [first, ...others] = plans.failures;
        if (first === undefined || onProblem === 'skip') return plans;
        if (others.length === 0) throw first.error;
        throw new InvalidDefinitionsError(
          plans.failures.map(({ problem }) => problem),
          analysis,
        );
      } catch (error) {
        if (error instanceof BootError) error.words ??= registry.codes[error.code];
        throw error;
      }
    },
    recordServed: (analysis: Analysis) => analysis.uses.forEach((id) => before.add(id)),
  };
}
