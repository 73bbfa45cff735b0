/** Reads one uid. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { broadcast } from '../../kinds/broadcast.js';
import { nameFrom } from '../../kinds/receivers.js';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ broadcast_to: to = null, broadcast_guard: guarded }, tools) => {
      const read = tools.value(to);
      const of = tools.owners(typeof guarded === 'string' ? guarded : null);
      return (frame) => ({ uids: [nameFrom(read(frame), 'broadcast_to')], of });
    },
  }),
});
