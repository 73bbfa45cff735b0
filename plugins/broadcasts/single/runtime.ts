/** `SINGLE`: reads one uid. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { broadcast } from '../../kinds/broadcast.js';
import { nameFrom } from '../../kinds/receivers.js';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ broadcast_to: to = null }, tools) => {
      const read = tools.value(to);
      return (frame) => ({ uids: [nameFrom(read(frame), 'broadcast_to')] });
    },
  }),
});
