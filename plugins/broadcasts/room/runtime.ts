/** `ROOM`: reads the names of rooms, each meant once. */
import type { Json } from '../../../kernel/contract/json.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { broadcast } from '../../kinds/broadcast.js';
import { nameFrom } from '../../kinds/receivers.js';

const FIELD = 'broadcast_to_room';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ [FIELD]: to = null }, tools) => {
      const written = Array.isArray(to) ? (to as readonly Json[]) : [to];
      const readers = written.map((room) => tools.value(room));
      return (frame) => ({ rooms: [...new Set(readers.map((read) => nameFrom(read(frame), FIELD)))] });
    },
  }),
});
