/** `INSERT`: writes a document and returns it. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';

export default defineRuntime(documentAction, {
  create: () => ({
    plan: (_value, parts) => {
      const { store, collection } = parts;
      const document = parts.document();
      return (frame) => {
        const written = document(frame);
        return (inside) => store.insert(collection, [written], inside, frame);
      };
    },
  }),
});
