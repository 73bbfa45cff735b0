/** Finds the plan for a request path, or throws 404 or 503. */
import type { PlanSet, ResourcePlan } from '../plan/plan.js';
import { fault } from '../../contract/fault.js';

export interface Route {
  readonly plan: ResourcePlan;
  /** Null for a path without parameters. */
  readonly parameters: Readonly<Record<string, string>> | null;
}

/** A fixed path takes precedence over parameters, even while its definition is invalid. */
export function findRoute({ byPath, broken, patterns }: PlanSet, path: string): Route {
  const name = byPath.has(path) ? path : decoded(path);
  const plan = byPath.get(name);
  if (plan !== undefined) return reached(plan, null);
  if (broken.has(name)) throw fault('REQ_BROKEN');
  const match = patterns.find(path);
  if (match === null) throw fault('REQ_NOT_FOUND');
  if (match.plan === null) throw fault('REQ_BROKEN');
  return reached(match.plan, match.parameters);
}

function reached(plan: ResourcePlan, parameters: Route['parameters']): Route {
  if (!plan.reachable) throw fault('REQ_NOT_FOUND');
  return { plan, parameters };
}

/** Removes a final slash. Returns '' for invalid escapes. */
function decoded(path: string): string {
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
