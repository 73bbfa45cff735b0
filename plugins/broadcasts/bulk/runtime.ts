/** Reads a list of uids without duplicates. */
import { createFault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { broadcast } from '../kind.js';
import { MAX_UIDS, toReceiverName } from '../shared/receivers.light.js';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ broadcast_to: to = null, broadcast_guard: guarded }, tools) => {
      const read = tools.value(to);
      const of = tools.resolveUidNamespace(typeof guarded === 'string' ? guarded : null);
      return (frame) => {
        const list = read(frame);
        if (!Array.isArray(list)) throw createFault('BRC_LIST');
        if (list.length > MAX_UIDS) throw createFault('BRC_MANY', { max: MAX_UIDS });
        return {
          uids: [...new Set((list as readonly unknown[]).map((uid) => toReceiverName(uid, 'broadcast_to')))],
          of,
        };
      };
    },
  }),
});
