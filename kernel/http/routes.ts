/**
 * Paths with parameters. Exact paths are found in a map and never come here: a router costs more with each route it
 * holds, so it holds only these.
 */
import Router from '@koa/router';
import type { PlanSet, ResourcePlan } from '../compile/plan.js';

export interface Route {
  readonly plan: ResourcePlan;
  /** What stands in the path, by name; null for a path without parameters. */
  readonly parameters: Readonly<Record<string, string>> | null;
}

interface Patterns {
  readonly router: Router;
  readonly plans: ReadonlyMap<string, ResourcePlan>;
}

/** One router for each set of plans; it goes when the set goes. */
const routers = new WeakMap<PlanSet, Patterns>();

export function findByPattern(set: PlanSet, path: string): Route | null {
  if (set.byPattern.length === 0) return null;
  const { router, plans } = routers.get(set) ?? remember(set);
  for (const layer of router.match(path, 'POST').path) {
    const plan = plans.get(String(layer.path));
    const captures = layer.captures(path);
    if (plan !== undefined && captures.every(isDecodable)) return { plan, parameters: layer.params(path, captures) };
  }
  return null;
}

/** A path whose escapes cannot be decoded names nothing. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function remember(set: PlanSet): Patterns {
  const router = new Router();
  const plans = new Map<string, ResourcePlan>();
  for (const plan of [...set.byPattern].sort(bySpecificity)) {
    const path = `/${plan.path}`;
    plans.set(path, plan);
    router.post(path, () => undefined);
  }
  const patterns = { router, plans };
  routers.set(set, patterns);
  return patterns;
}

/** At the first segment in which two paths differ in kind, fixed text goes before a parameter. */
function bySpecificity(a: ResourcePlan, b: ResourcePlan): number {
  const left = a.path.split('/');
  const right = b.path.split('/');
  for (const [index, segment] of left.entries()) {
    const one = segment.startsWith(':');
    const other = right[index]?.startsWith(':') === true;
    if (one !== other) return one ? 1 : -1;
  }
  return 0;
}
