/**
 * Reads the views and functions that are in the stores, so that secrets are followed through those that no script of the project
 * creates. A store that becomes available later adds its own.
 */
import type { Instance } from './instances.js';
import type { LoadedDefinitions } from './project.js';
import type { Connect } from './start.js';

export interface StoredObjects {
  /** Analyses again if the stores have such objects; otherwise returns the same object. */
  readonly follow: (definitions: LoadedDefinitions, stores: readonly Instance[]) => Promise<LoadedDefinitions>;
}

export function createStoredObjects(connect: Connect): StoredObjects {
  const known = new Map<Instance, readonly string[]>();
  return {
    async follow(definitions, stores) {
      if (connect !== true && connect !== 'stores') return definitions;
      await Promise.all(
        stores.map(async (store) => {
          const found = await store.runtime.readObjects?.(store.handle(), store.context);
          if (found !== undefined) known.set(store, found);
        }),
      );
      const all = [...known.values()].flat();
      return all.length === 0 ? definitions : definitions.withObjects(all);
    },
  };
}
