/** `COUNT`: counts the matching documents. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';

export default defineRuntime(documentAction, {
  create: () => ({
    reads: true,
    plan: (_value, parts) => {
      const { store, collection } = parts;
      const filter = parts.filter();
      return (frame) => {
        const which = filter(frame);
        return async (inside) => [{ count: await store.count(collection, which, inside, frame) }];
      };
    },
  }),
});
