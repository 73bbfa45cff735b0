/** Runtime of `leave_room`. */
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';
import { createRoomSteps } from '../shared/rooms.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }, tools) => ({ steps: createRoomSteps('leave_room', value['leave_room'] ?? null, tools) }),
  }),
});
