/** Resolves the realm of a message: a group of callers that guards identify, with its own uids. Pure. */
import type { PluginUsage } from './facts.js';
import type { Registry } from './registry.js';

export interface Realm {
  /** Equal for guards that admit the same callers. */
  readonly realm: string;
  /** Messages can be delivered to its callers by uid. */
  readonly reached: boolean;
}

interface GuardedResource {
  readonly id: string;
  readonly places: readonly PluginUsage[];
}

/** Null if the resource does not identify its callers. */
export function findRealm(registry: Registry, places: readonly PluginUsage[]): Realm | null {
  const findFacts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  for (const place of places) {
    const spec = registry.plugins.get(place.plugin);
    if (spec?.facts?.identifies !== true) continue;
    const { realm, reached } = spec.getRealm?.({ ...place, facts: findFacts }) ?? { realm: '', reached: true };
    return { realm: JSON.stringify([place.plugin, realm]), reached };
  }
  return null;
}

/** Also for guards that do not identify callers (a webhook signature). */
export const hasGuard = (registry: Registry, places: readonly PluginUsage[]): boolean =>
  places.some(({ plugin }) => registry.plugins.get(plugin)?.facts?.guards === true);

/** The reachable realms, each with the id of its first resource. */
export function listRealms(registry: Registry, resources: Iterable<GuardedResource>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { id, places } of resources) {
    const own = findRealm(registry, places);
    if (own?.reached === true && !found.has(own.realm)) found.set(own.realm, id);
  }
  return found;
}

/** `open`: unverified connections receive the message too. */
export type MessageRealm =
  | { readonly realm: string; readonly open: boolean }
  /** No guard identifies callers: the claimed uid counts. */
  | { readonly realm: null; readonly open: true }
  /** Ambiguous: several realms, and the message selects none. */
  | null;

/**
 * `own`: realm of the sender. `trusted`: callers do not determine the content; unverified connections do not receive
 * it.
 */
export function resolveMessageRealm(
  own: Realm | null,
  trusted: boolean,
  realms: ReadonlyMap<string, string>,
): MessageRealm {
  if (own !== null) return { realm: own.realm, open: false };
  const [only] = realms.keys();
  if (only === undefined) return { realm: null, open: true };
  return realms.size === 1 ? { realm: only, open: !trusted } : null;
}
