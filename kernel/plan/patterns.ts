/**
 * Finds the plan for a path. Exact paths are found in a map, because the router, which matches those with parameters
 * (`notes/:id`), slows down with each route.
 */
import Router from '@koa/router';
import { createFault } from '../../contract/fault.js';
import type { PatternMatch, Patterns, PatternRoute, PlanSet, ResourcePlan } from './plan.js';

const NONE: Patterns = Object.freeze({ routes: Object.freeze([]), find: () => null });

/** The checker rejects routes of equal shape. */
export function compilePatterns(routes: readonly PatternRoute[]): Patterns {
  if (routes.length === 0) return NONE;
  // Case-sensitive, like exact paths.
  const router = new Router({ sensitive: true });
  const byPath = new Map<string, PatternRoute>();
  for (const route of [...routes].sort(compareSpecificity)) {
    const path = `/${route.path}`;
    byPath.set(path, route);
    router.post(path, () => undefined);
  }
  const find = (path: string): PatternMatch | null => {
    const address = normalizePath(path);
    const layer = address === null ? undefined : router.match(address, 'POST').path[0];
    const route = layer === undefined ? undefined : byPath.get(String(layer.path));
    if (address === null || layer === undefined || route === undefined) return null;
    return { plan: route.plan, parameters: layer.params(address, layer.captures(address)) };
  };
  return Object.freeze({ routes: Object.freeze([...routes]), find });
}

/** Normalizes percent escapes; null for invalid ones. */
function normalizePath(path: string): string | null {
  if (!path.includes('%')) return path;
  try {
    return path
      .split('/')
      .map((segment) => encodeURIComponent(decodeURIComponent(segment)))
      .join('/');
  } catch {
    return null;
  }
}

/** Fixed text precedes a parameter at the first segment of different kinds. */
function compareSpecificity(a: PatternRoute, b: PatternRoute): number {
  const left = a.path.split('/');
  const right = b.path.split('/');
  if (left.length !== right.length) return left.length - right.length;
  const differs = left.findIndex((segment, index) => isParameter(segment) !== isParameter(right[index] ?? ''));
  return differs === -1 ? 0 : isParameter(left[differs] ?? '') ? 1 : -1;
}

const isParameter = (segment: string): boolean => segment.startsWith(':');

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

/** Removes a final slash. Returns '' for invalid escapes. */
function normalizeFixedPath(path: string): string {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!bare.includes('%')) return bare;
  // An escaped slash is part of a value, not a separator.
  if (/%2f/i.test(bare)) return '';
  try {
    return decodeURIComponent(bare);
  } catch {
    return '';
  }
}
