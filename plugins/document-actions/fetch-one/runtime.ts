/** `FETCH_ONE`: returns the first matching document. */
import { defineRuntime } from '../../../contract/plugin.js';
import { documentAction } from '../kind.js';
import { omitUndefined } from '../shared/options.js';

export default defineRuntime(documentAction, {
  create: () => ({
    reads: true,
    locks: true,
    plan: (_value, parts) => {
      const { store, collection } = parts;
      const [filter, projection, skip] = [parts.filter(), parts.projection(), parts.number('skip')];
      const sort = parts.constant('sort');
      return (frame) => {
        const which = filter(frame);
        const options = omitUndefined({
          sort,
          projection: projection(frame),
          skip: skip(frame),
          limit: 1,
          lock: parts.lock(),
        });
        return (inside) => store.find(collection, which, options, inside, frame);
      };
    },
  }),
});
