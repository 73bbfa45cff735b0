/** Reads one uid. */
import { defineRuntime } from '../../../contract/plugin.js';
import { broadcast } from '../kind.js';
import { nameFrom } from '../shared/receivers.light.js';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ broadcast_to: to = null, broadcast_guard: guarded }, tools) => {
      const read = tools.value(to);
      const of = tools.owners(typeof guarded === 'string' ? guarded : null);
      return (frame) => ({ uids: [nameFrom(read(frame), 'broadcast_to')], of });
    },
  }),
});
