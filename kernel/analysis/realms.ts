/**
 * Realms: the sorts of callers that the guards of a set tell apart, each with uids of its own. Which one a message to a uid means is
 * settled at load, by the guard of the resource that sends it or of the one that it names. Pure; checker and compiler ask the same.
 */
import type { PluginPlace } from './finds.js';
import type { Registry } from './registry.js';

export interface Realm {
  /** Equal for guards that let in the same callers; without a value of the environment. */
  readonly realm: string;
  /** Callers that it lets in may be reached by their uid. */
  readonly reached: boolean;
}

interface Guarded {
  readonly id: string;
  readonly places: readonly PluginPlace[];
}

/** Null where the resource does not tell its callers apart. */
export function realmOf(registry: Registry, places: readonly PluginPlace[]): Realm | null {
  const facts = (kind: string, name: string) => registry.plugin(kind, name)?.facts;
  for (const place of places) {
    const spec = registry.plugins.get(place.plugin);
    if (spec?.facts?.['identifies'] !== true) continue;
    const { realm, reached } = spec.realmOf?.({ ...place, facts }) ?? { realm: '', reached: true };
    return { realm: JSON.stringify([place.plugin, realm]), reached };
  }
  return null;
}

/** By what somebody else than a caller is let in: the sender of a webhook. */
export const isJudged = (registry: Registry, places: readonly PluginPlace[]): boolean =>
  places.some(({ plugin }) => registry.plugins.get(plugin)?.facts?.['guards'] === true);

/** Each once, with the first resource that has it. */
export function realmsIn(registry: Registry, resources: Iterable<Guarded>): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { id, places } of resources) {
    const own = realmOf(registry, places);
    if (own?.reached === true && !found.has(own.realm)) found.set(own.realm, id);
  }
  return found;
}

/** Whose uids a message means. */
export type Meant =
  | { readonly realm: string; readonly open: boolean }
  /** No guard of the set tells callers apart: a uid is what the connection says. */
  | { readonly realm: null; readonly open: true }
  /** Several do, and nothing says which one. */
  | null;

/**
 * `own`: of the resource that sends; `trusted`: no caller of it chooses what is sent, so it is not for connections of which nobody
 * knows who they are.
 */
export function meantBy(own: Realm | null, trusted: boolean, realms: ReadonlyMap<string, string>): Meant {
  if (own !== null) return { realm: own.realm, open: false };
  const [only] = realms.keys();
  if (only === undefined) return { realm: null, open: true };
  return realms.size === 1 ? { realm: only, open: !trusted } : null;
}
