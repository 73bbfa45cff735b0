/** Checks that paths are free, logs guard changes, and retains the last valid plans of invalid files. */
import { BootError } from '../../contract/boot-error.js';
import type { Log } from '../../contract/plugin.js';
import type { Upgrade } from '../../contract/trigger.js';
import type { Analysis } from '../../language/analysis/analysis.js';
import { compilePatterns } from '../plan/patterns.js';
import { listIdentities } from '../plan/plan-set.js';
import type { Patterns, PlanSet } from '../../contract/resource-plan.js';
import { hasParameters, toPathShape } from '../../language/strings/route.js';
import type { PluginRoute } from './hooks.js';

type ReservedPath = Pick<PluginRoute, 'plugin' | 'path'>;

/** Throws if the status page or a route of a plugin uses the path of an upgrade. */
export function listReservedPaths(
  statusPath: string,
  upgrades: readonly Upgrade[],
  routes: readonly PluginRoute[],
): ReservedPath[] {
  return upgrades.map(({ path, setting }) => {
    const owner = routes.find(
      (route) => route.path === path || (route.path.endsWith('/') && path.startsWith(route.path)),
    );
    const what = owner === undefined ? 'the status page uses it' : `${owner.plugin} serves it`;
    if (owner !== undefined || path === statusPath) throw new BootError('KRN_ROUTE', { name: setting, path, what });
    return { plugin: setting, path };
  });
}

/** A plugin's path must not hide a resource, which would be unreachable. */
export function assertPathsFree({ byPath }: PlanSet, routes: readonly ReservedPath[]): void {
  for (const { plugin, path } of routes) {
    const isTaken = (resource: string): boolean => (path.endsWith('/') ? resource.startsWith(path) : resource === path);
    const taken = [...byPath].find(([resource]) => isTaken(resource));
    if (taken === undefined) continue;
    throw new BootError('KRN_ROUTE', { name: plugin, path, what: `the resource "${taken[1].id}" uses it` });
  }
}

/** A removed guard must be noticed. */
export function logGuardChanges(before: PlanSet, after: PlanSet, log: Log): void {
  for (const [id, { summary }] of after.byId) {
    const was = before.byId.get(id)?.summary.guard ?? summary.guard;
    if (was !== summary.guard) log.warn({ resource: id, was, is: summary.guard }, 'resource guard changed');
  }
}

/**
 * Retains the last valid plan of an invalid resource, so that its endpoint keeps serving while the file is being edited.
 * A resource without a file is removed only when all files are valid.
 */
export function retainLastValidPlans(before: PlanSet, after: PlanSet, analysis: Analysis): PlanSet {
  const failed = new Set(after.failures.map(({ resource }) => resource));
  const sound = new Set(
    analysis.resources.flatMap(({ id, sound: isSound }) => (isSound && !failed.has(id) ? [id] : [])),
  );
  const byPath = new Map(after.byPath);
  const byId = new Map(after.byId);
  for (const [id, plan] of before.byId) {
    if (sound.has(id)) continue;
    byId.set(id, plan);
    const paths = hasParameters(plan.path) ? [plan.id] : [plan.id, plan.path];
    for (const path of paths) if (!byPath.has(`/${path}`)) byPath.set(`/${path}`, plan);
  }
  const patterns = retainPatterns(before, after, sound);
  // Invalid resources keep their identities here, so that targeted messages remain withheld.
  const unknown = after.identities.filter(({ identity }) => identity === null);
  const identities = Object.freeze([...listIdentities(byId.values()), ...unknown]);
  return Object.freeze({ ...after, byPath, byId, patterns, identities });
}

/** A newly served path replaces a retained one of the same shape. */
function retainPatterns(before: PlanSet, after: PlanSet, sound: ReadonlySet<string>): Patterns {
  const served = after.patterns.routes.filter(({ plan }) => plan !== null);
  const taken = new Set(served.map(({ path }) => toPathShape(path)));
  const kept = before.patterns.routes.filter(
    ({ path, plan }) => plan !== null && !sound.has(plan.id) && !taken.has(toPathShape(path)),
  );
  for (const { path } of kept) taken.add(toPathShape(path));
  const broken = after.patterns.routes.filter(({ path, plan }) => plan === null && !taken.has(toPathShape(path)));
  return compilePatterns([...served, ...kept, ...broken]);
}
