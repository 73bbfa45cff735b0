/** Reads one uid. */
import { defineRuntime } from '../../../contract/plugin.js';
import { broadcast } from '../kind.js';
import { toReceiverName } from '../shared/receivers.light.js';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ broadcast_to: to = null, broadcast_guard: guarded }, tools) => {
      const read = tools.value(to);
      const of = tools.resolveUidNamespace(typeof guarded === 'string' ? guarded : null);
      return (frame) => ({ uids: [toReceiverName(read(frame), 'broadcast_to')], of });
    },
  }),
});
