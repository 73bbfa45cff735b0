/** `FETCH`: returns the matching documents. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';
import { omitUndefined } from '../shared/options.js';

export default defineRuntime(documentAction, {
  create: () => ({
    reads: true,
    locks: true,
    plan: (_value, parts) => {
      const { store, collection, one } = parts;
      const [filter, projection] = [parts.filter(), parts.projection()];
      const [limit, skip] = [parts.number('limit'), parts.number('skip')];
      const sort = parts.constant('sort');
      return (frame) => {
        const most = one ? Math.min(1, limit(frame) ?? 1) : limit(frame);
        const which = filter(frame);
        const options = omitUndefined({
          sort,
          projection: projection(frame),
          skip: skip(frame),
          limit: most,
          lock: parts.lock(),
        });
        // The database takes a limit of 0 for no limit.
        return (inside) => (most === 0 ? Promise.resolve([]) : store.find(collection, which, options, inside, frame));
      };
    },
  }),
});
