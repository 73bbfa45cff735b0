/** Reads the names of rooms without duplicates. */
import type { Json } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { broadcast } from '../kind.js';
import { createRoomReader } from '../../shared/room-names.js';

const FIELD = 'broadcast_to_room';

export default defineRuntime(broadcast, {
  create: () => ({
    plan: ({ [FIELD]: to = null }, tools) => {
      const written = Array.isArray(to) ? (to as readonly Json[]) : [to];
      const readers = written.map((room) => createRoomReader(room, FIELD, tools));
      return (frame) => ({ rooms: [...new Set(readers.map((read) => read(frame).key))] });
    },
  }),
});
