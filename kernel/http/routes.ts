/** Finds the plan for a request path, or throws 404 or 503. */
import type { PlanSet, ResourcePlan } from '../plan/plan.js';
import { createFault } from '../../contract/fault.js';

export interface MatchedRoute {
  readonly plan: ResourcePlan;
  /** Null for a path without parameters. */
  readonly parameters: Readonly<Record<string, string>> | null;
}

/** A fixed path takes precedence over parameters, even while its definition is invalid. */
export function findRoute({ byPath, broken, patterns }: PlanSet, path: string): MatchedRoute {
  const name = byPath.has(path) ? path : normalizePath(path);
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
function normalizePath(path: string): string {
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
