/** From the path of a request to the plan that answers it. Says 404 and 503; verbs and payloads are not its business. */
import type { PlanSet, ResourcePlan } from '../compile/plan.js';
import { fault } from '../contract/fault.js';

export interface Route {
  readonly plan: ResourcePlan;
  /** What stands in the path, by name; null for a path without parameters. */
  readonly parameters: Readonly<Record<string, string>> | null;
}

/** A fixed path is preferred to one with parameters, even while its definition is broken. */
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

/** Percent escapes decoded and one final slash dropped; what cannot be decoded names nothing. */
function decoded(path: string): string {
  const bare = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  if (!bare.includes('%')) return bare;
  // An escaped slash is part of a value and separates nothing.
  if (/%2f/i.test(bare)) return '';
  try {
    return decodeURIComponent(bare);
  } catch {
    return '';
  }
}
