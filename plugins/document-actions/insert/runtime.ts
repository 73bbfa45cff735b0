/** `INSERT`: writes a document and returns it. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { documentAction } from '../../kinds/document-action.js';

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
