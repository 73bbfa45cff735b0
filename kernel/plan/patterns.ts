/**
 * Finds the plan for a path. Exact paths are found in a map, because the router, which matches those with parameters
 * (`notes/:id`), slows down with each route.
 */
import Router from '@koa/router';
import { createFault } from '../../contract/fault.js';
import { compareSpecificity, normalizeEscapes, normalizeFixedPath } from '../../language/strings/route.js';
import type { PatternMatch, Patterns, PatternRoute, PlanSet, ResourcePlan } from '../../contract/resource-plan.js';

const NONE: Patterns = Object.freeze({ routes: Object.freeze([]), find: () => null });

/** The checker rejects routes of equal shape. */
export function compilePatterns(routes: readonly PatternRoute[]): Patterns {
  if (routes.length === 0) return NONE;
  // Case-sensitive, like exact paths.
  const router = new Router({ sensitive: true });
  const byPath = new Map<string, PatternRoute>();
  for (const route of [...routes].sort((one, other) => compareSpecificity(one.path, other.path))) {
    const path = `/${route.path}`;
    byPath.set(path, route);
    router.post(path, () => undefined);
  }
  const find = (path: string): PatternMatch | null => {
    const address = normalizeEscapes(path);
    const layer = address === null ? undefined : router.match(address, 'POST').path[0];
    const route = layer === undefined ? undefined : byPath.get(String(layer.path));
    if (address === null || layer === undefined || route === undefined) return null;
    return { plan: route.plan, parameters: layer.params(address, layer.captures(address)) };
  };
  return Object.freeze({ routes: Object.freeze([...routes]), find });
}

export interface MatchedRoute {
  readonly plan: ResourcePlan;
  /** Null for a path without parameters. */
  readonly parameters: Readonly<Record<string, string>> | null;
}

/** A fixed path takes precedence over parameters, even while its definition is invalid. */
export function findRoute({ byPath, broken, patterns }: PlanSet, path: string): MatchedRoute {
  const name = byPath.has(path) ? path : normalizeFixedPath(path);
  const plan = byPath.get(name);
  if (plan !== undefined) return toRoute(plan, null);
  if (broken.has(name)) throw createFault('REQ_BROKEN');
  const match = patterns.find(path);
  if (match === null) throw createFault('REQ_NOT_FOUND');
  if (match.plan === null) throw createFault('REQ_BROKEN');
  return toRoute(match.plan, match.parameters);
}

function toRoute(plan: ResourcePlan, parameters: MatchedRoute['parameters']): MatchedRoute {
  if (!plan.reachable) throw createFault('REQ_NOT_FOUND');
  return { plan, parameters };
}
