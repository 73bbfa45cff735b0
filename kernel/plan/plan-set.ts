/** Compiles all valid resources of an analysis into one frozen set of plans. */
import { createHash } from 'node:crypto';
import { computeIsolations } from '../../language/analysis/isolation.js';
import { BootError } from '../../contract/boot-error.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import type { ResourceModel } from '../../language/analysis/model.js';
import { compilePatterns } from './patterns.js';
import type { IdentityPlan } from '../../contract/trigger.js';
import type { PatternRoute, PlanFailure, PlanSet, ResourcePlan } from '../../contract/resource-plan.js';
import { compileResource } from './resource.js';
import type { CompileInput } from './tools.js';
import { compileTables } from '../../language/analysis/model-tables.js';
import { toProblem } from '../../language/analysis/plugin-errors.js';
import { hasParameters } from '../../language/strings/route.js';

export function compilePlanSet(
  analysis: Analysis,
  services: Omit<CompileInput, 'resources' | 'actions' | 'tables' | 'isolations' | 'version' | 'indexSources'>,
  begin: (resource: string) => void = () => undefined,
): PlanSet {
  const tables = compileTables(analysis.models, services.registry);
  const hash = hashAnalysis(analysis);
  const input: CompileInput = {
    ...services,
    version: hash,
    indexSources: [],
    tables,
    isolations: computeIsolations(analysis.resources, analysis.models, services.registry),
    resources: new Map(analysis.resources.map((resource) => [resource.id, resource])),
    actions: new Map(analysis.resources.flatMap(({ actions }) => actions.map((action) => [action.key, action]))),
  };
  const byPath = new Map<string, ResourcePlan>();
  const byId = new Map<string, ResourcePlan>();
  const routes: PatternRoute[] = [];
  const broken = new Set<string>();
  const unknown: IdentityPlan[] = [];
  const failures: PlanFailure[] = [];
  const tryCompile = (resource: ResourceModel): ResourcePlan | null => {
    if (!resource.sound) return null;
    begin(resource.id);
    try {
      return compileResource(input, resource);
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
    hash,
    byPath,
    byId,
    patterns,
    broken,
    tables: [...tables.values()],
    indexSources: input.indexSources,
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

/** Lets jobs and clients detect changed definitions. */
function hashAnalysis(analysis: Analysis): string {
  const hash = createHash('sha256');
  for (const [file, { text }] of [...analysis.documents].sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${file}\0${text}\0`);
  }
  return hash.digest('hex').slice(0, 16);
}
