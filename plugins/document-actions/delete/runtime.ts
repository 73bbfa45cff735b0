/** `DELETE`: removes the matching documents, or soft-deletes them. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';
import { omitUndefined } from '../shared/options.js';

export default defineRuntime(documentAction, {
  create: () => ({
    changes: true,
    plan: (_value, parts) => {
      const { store, collection, one } = parts;
      const [filter, marks] = [parts.filter(), parts.softDelete()];
      const options = omitUndefined({ one, sort: parts.constant('sort') });
      return (frame) => {
        const which = filter(frame);
        if (marks === null) return (inside) => store.remove(collection, which, options, inside, frame);
        const change = marks(frame);
        return (inside) => store.update(collection, which, change, options, inside, frame);
      };
    },
  }),
});
