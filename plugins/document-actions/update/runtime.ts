/** `UPDATE`: changes the matching documents. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';
import { omitUndefined } from '../shared/options.js';

export default defineRuntime(documentAction, {
  create: () => ({
    changes: true,
    plan: (value, parts) => {
      const { store, collection, one } = parts;
      const [filter, update, filters] = [parts.filter(), parts.update(), parts.filters('array_filters')];
      const sort = parts.constant('sort');
      const upsert = value['upsert'] === true;
      return (frame) => {
        const [which, change] = [filter(frame), update(frame)];
        const options = omitUndefined({ one, sort, upsert, arrayFilters: filters(frame) });
        return (inside) => store.update(collection, which, change, options, inside, frame);
      };
    },
  }),
});
