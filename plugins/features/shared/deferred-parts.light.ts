/**
 * Which actionables of a definition are deferred: those marked themselves or by their resource, and dependencies that
 * only they need.
 */
import { asText, isObject, type Json, type JsonObject } from '../../../contract/json.js';
import type { CheckPlace } from '../../../contract/plugin.js';

export interface DeferredAction {
  readonly index: number;
  readonly action: JsonObject;
  readonly own: boolean;
}

export interface DeferredSplit {
  readonly later: readonly DeferredAction[];
  /** Indexes in `actionables` of what runs before the response. */
  readonly now: ReadonlySet<number>;
  /** The response only confirms acceptance. */
  readonly accepted: boolean;
}

export const toObjects = (json: Json | undefined): readonly JsonObject[] =>
  Array.isArray(json) ? (json as readonly Json[]).map((item) => (isObject(item) ? item : {})) : [];

/** Needs data that only the request has. */
export const isImmediate = ({ mode }: JsonObject, facts: CheckPlace['facts']): boolean =>
  facts('mode', asText(mode))?.immediate === true;

export function splitDeferred({ root, actions, facts }: Pick<CheckPlace, 'root' | 'actions' | 'facts'>): DeferredSplit {
  const written = toObjects(root['actionables']);
  const known = new Map(actions.map((action) => [action.index, action]));
  const collectNeeds = (index: number, into: Set<number>): Set<number> => {
    if (into.has(index)) return into;
    into.add(index);
    for (const other of findDependencies(written[index] ?? {}, root, written)) collectNeeds(other, into);
    return into;
  };
  const candidates = written.flatMap((action, index) => {
    const found = known.get(index);
    return found === undefined || found.noOp || found.timing.scheduled ? [] : [{ action, index, timing: found.timing }];
  });
  const isDeferred = ({ action, timing }: (typeof candidates)[number]): boolean =>
    timing.later && !isImmediate(action, facts);
  const now = new Set<number>();
  for (const one of candidates) if (!isDeferred(one)) collectNeeds(one.index, now);
  const later = new Map<number, DeferredAction>();
  const roots = candidates.filter((one) => isDeferred(one) && !now.has(one.index));
  for (const { index, timing } of roots) {
    for (const one of collectNeeds(index, new Set())) {
      if (now.has(one) || later.has(one)) continue;
      const own = one === index ? timing.own : (known.get(one)?.timing.own ?? false);
      later.set(one, { index: one, action: written[one] ?? {}, own });
    }
  }
  const accepted = roots.some(({ timing }) => !timing.own) || (roots.length > 0 && roots.length === candidates.length);
  return { later: [...later.values()], now, accepted };
}

/** Indexes of the actionables of this resource that `action` depends on. */
function findDependencies(action: JsonObject, root: JsonObject, written: readonly JsonObject[]): number[] {
  return toObjects(action['depends_on']).flatMap(({ resource_id: resource, action_ids: ids }) =>
    (resource === 'self' || resource === root['id']) && Array.isArray(ids)
      ? written.flatMap(({ id }, index) => ((ids as readonly Json[]).includes(id as Json) ? [index] : []))
      : [],
  );
}
