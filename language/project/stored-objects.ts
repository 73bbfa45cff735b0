/**
 * Reads the views and functions of the stores, so that secrets are followed through those that no script creates. A
 * store that becomes available later adds its own.
 */
import type { LoadedDefinitions } from './project.js';
import type { OpenPlugin } from './store-checks.js';

/** Analyses again if the stores have such objects. */
export type FollowSecrets = (
  definitions: LoadedDefinitions,
  stores: readonly OpenPlugin[],
) => Promise<LoadedDefinitions>;

/** `isOpen`: false where no store is connected. */
export function createSecretFollower(isOpen: boolean): FollowSecrets {
  const known = new Map<OpenPlugin, readonly string[]>();
  return async (definitions, stores) => {
    if (!isOpen) return definitions;
    await Promise.all(
      stores.map(async (store) => {
        const found = await store.runtime.readObjects?.(store.handle(), store.context);
        if (found !== undefined) known.set(store, found);
      }),
    );
    const all = [...known.values()].flat();
    return all.length === 0 ? definitions : definitions.withObjects(all);
  };
}
