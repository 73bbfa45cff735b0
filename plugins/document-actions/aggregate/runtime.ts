/** `AGGREGATE`: runs a pipeline over the collection. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { documentAction } from '../../kinds/document-action.js';

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
