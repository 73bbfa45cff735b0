/** `AGGREGATE`: runs a pipeline over the collection. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';

export default defineRuntime(documentAction, {
  create: () => ({
    reads: true,
    plan: (_value, parts) => {
      const { store, collection } = parts;
      const pipeline = parts.pipeline();
      return (frame) => {
        const stages = pipeline(frame);
        return (inside) => store.aggregate(collection, stages, inside, frame);
      };
    },
  }),
});
