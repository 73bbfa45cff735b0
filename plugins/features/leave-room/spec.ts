/** This connection no longer receives the messages to a room. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { checkRoomField, roomErrors, roomField } from '../shared/rooms.light.js';

const ROOM = { say: 'a connection leaves a room by `"leave_room": "match $PAYLOAD.match_id"`', rename: 'leave_room' };
const INVENTED = { unsubscribe: ROOM, leave: ROOM, exit: ROOM };

export default definePlugin({
  kind: 'feature',
  name: 'leave_room',
  since: '0.4.0',
  summary: 'The connection that sent the message leaves a room (extension).',
  details:
    'The connection leaves after the commit. Leaving a room that it is not in is not an error. A closed connection ' +
    'leaves all of its rooms. A request that is not a message of a connection is rejected before any work.',
  facts: { applies: 'when-present', rooms: 'leave_room' },
  slots: {
    actionable: shape(
      { leave_room: roomField('Name of the room that is left', { refers: { symbol: 'room' } }) },
      { mistaken: INVENTED },
    ),
  },
  check: (place) => checkRoomField('leave_room', place),
  openapi: () => ({ connectedOnly: true, refuses: ['WS_NO_CONNECTION', 'BRC_RECEIVER'] }),
  errors: roomErrors,
  examples: [
    {
      title: 'The room that was joined',
      json: {
        payload_validation: [{ field: { match_id: { type: 'NUMBER' } } }],
        leave_room: 'match $PAYLOAD.match_id',
      },
    },
  ],
  counterExamples: [{ title: 'No name', json: { leave_room: null }, code: 'WS_ROOM', at: '/leave_room' }],
});
