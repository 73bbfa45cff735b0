/** Compiles all valid resources of an analysis into one frozen set of plans. */
import { createHash } from 'node:crypto';
import { BootError } from '../../contract/boot-error.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { ResourceModel } from '../../language/analysis/model.js';
import { compilePatterns } from './patterns.js';
import type { IdentityPlan } from '../../contract/trigger.js';
import type { PatternRoute, PlanFailure, PlanSet, ResourcePlan } from '../../contract/resource-plan.js';
import { compileResource } from './resource.js';
import {
  createPlanCache,
  readSet,
  recordLookups,
  type PlanCache,
  type SetLookups,
} from '../../language/analysis/set-lookups.js';
import type { CompileInput, Handles } from './tools.js';
import type { BlindIndexSource } from '../../contract/migration.js';
import { memoize } from '../../language/analysis/memoize.js';
import { createReport } from '../../language/analysis/report.js';
import { isSame } from '../../language/analysis/lookups.js';
import type { StageInput } from '../../language/analysis/stage-cache.js';
import { toProblem } from '../../language/analysis/plugin-errors.js';
import { hasParameters } from '../../language/strings/route.js';

interface CompiledResource {
  readonly plan: ResourcePlan;
  readonly indexSources: readonly BlindIndexSource[];
}

const recordHandles = (handles: Handles, plugins: Set<string>): Handles => ({
  ...handles,
  handle: (id) => handles.handle(plugins.add(id) && id),
});

/** `reads`: what every plan depends on. */
export function compilePlanSet(
  analysis: Analysis,
  services: Omit<CompileInput, keyof SetLookups | 'indexSources' | 'plugins'>,
  cache: PlanCache = createPlanCache(services.registry),
  reads: readonly StageInput[] = [],
): PlanSet {
  const set = readSet(analysis, services.registry, cache.stages, hashAnalysis(analysis));
  cache.latest = set;
  if (!isSame(cache.reads, reads)) cache.reads = reads;
  const allIndexSources: BlindIndexSource[] = [];
  const report = createReport(services.registry.codes);
  const compileOrReuse = (resource: ResourceModel): CompiledResource =>
    cache.stages.getOrLookUp(resource, report, {
      name: 'plan',
      reads: cache.reads,
      source: set,
      compute: (answers) => {
        const [input, end] = recordLookups(services, answers, cache);
        const [indexSources, plugins] = [[] as BlindIndexSource[], new Set<string>()];
        const handles = recordHandles(services.handles, plugins);
        const plan = compileResource({ ...input, handles, plugins, indexSources }, resource);
        end();
        return { plan, indexSources };
      },
    });
  const byPath = new Map<string, ResourcePlan>();
  const byId = new Map<string, ResourcePlan>();
  const routes: PatternRoute[] = [];
  const broken = new Set<string>();
  const unknown: IdentityPlan[] = [];
  const failures: PlanFailure[] = [];
  const tryCompile = (resource: ResourceModel): ResourcePlan | null => {
    if (!resource.sound) return null;
    try {
      const { plan, indexSources } = compileOrReuse(resource);
      allIndexSources.push(...indexSources);
      return plan;
    } catch (error) {
      if (!(error instanceof BootError)) throw error;
      failures.push({
        resource: resource.id,
        error,
        problem: toProblem(resource.definition, error, services.registry),
      });
      return null;
    }
  };
  for (const resource of analysis.resources) {
    const plan = tryCompile(resource);
    if (plan === null) {
      if (resource.places.some(({ plugin }) => services.registry.plugins.get(plugin)?.facts?.identifies === true))
        unknown.push(UNKNOWN);
      broken.add(`/${resource.id}`);
      if (hasParameters(resource.path)) routes.push({ path: resource.path, plan: null });
      else broken.add(`/${resource.path}`);
      continue;
    }
    byId.set(plan.id, plan);
    byPath.set(`/${plan.id}`, plan);
    if (hasParameters(plan.path)) routes.push({ path: plan.path, plan });
    else byPath.set(`/${plan.path}`, plan);
  }
  // An incomplete definition has no path yet.
  broken.delete('/');
  const patterns = compilePatterns(routes);
  const identities = Object.freeze([...listIdentities(byId.values()), ...unknown.slice(0, 1)]);
  return Object.freeze({
    hash: set.version(),
    byPath,
    byId,
    patterns,
    broken,
    tables: [...set.tables.values()],
    indexSources: allIndexSources,
    identities,
    failures: Object.freeze(failures),
  });
}

/** An invalid resource still requires authentication but cannot identify callers, so targeted messages are withheld. */
const UNKNOWN: IdentityPlan = Object.freeze({ key: '', realm: null, identity: null });

/** Returns each identity once. */
export function listIdentities(plans: Iterable<ResourcePlan>): readonly IdentityPlan[] {
  const found = new Map<string, IdentityPlan>();
  for (const { identities } of plans) for (const one of identities) found.set(one.key, one);
  return Object.freeze([...found.values()]);
}

const digest = memoize(({ text }: { readonly text: string }) => createHash('sha256').update(text).digest('base64'));

/** Lets jobs and clients detect changed definitions. */
function hashAnalysis({ documents }: Analysis): string {
  const files = [...documents].sort(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(files.map(([file, doc]) => `${file}\0${digest(doc)}\n`).join(''));
  return hash.digest('hex').slice(0, 16);
}
