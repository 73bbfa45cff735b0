/** This connection receives the messages to a room from now on. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { findOpenRooms, checkRoomField, ROOM_ANY, roomErrors, roomField } from '../shared/rooms.light.js';

const ROOM = { say: 'a connection joins a room by `"join_room": "match $PAYLOAD.match_id"`', rename: 'join_room' };
const INVENTED = { room: ROOM, rooms: ROOM, channel: ROOM, subscribe: ROOM, join: ROOM };

export default definePlugin({
  kind: 'feature',
  name: 'join_room',
  since: '0.4.0',
  summary: 'The connection that sent the message joins a room (extension).',
  details:
    'The connection joins after the commit, and receives the messages of `broadcast_type` `ROOM` until it leaves or ' +
    'closes. Guards and rules of the resource decide which callers may join; a client that reconnects must join ' +
    'again. A request that is not a message of a connection is rejected before any work. A number is converted to ' +
    'text.',
  facts: { applies: 'when-present', joins: 'join_room' },
  slots: {
    actionable: shape(
      { join_room: roomField('Name of the room that is joined', { declares: 'room' }) },
      { mistaken: INVENTED },
    ),
  },
  check,
  openapi: () => ({ connectedOnly: true, refuses: ['WS_NO_CONNECTION', 'WS_ROOMS_FULL', 'BRC_RECEIVER'] }),
  errors: { ...roomErrors, WS_ROOM_ANY: ROOM_ANY },
  examples: [
    {
      title: 'Only with a matching row',
      json: {
        payload_validation: [{ field: { match_id: { type: 'NUMBER' } } }],
        must_return_value: true,
        join_room: 'match $PAYLOAD.match_id',
      },
    },
    { title: 'Two rooms', json: { join_room: ['news', 'scores'] } },
  ],
  counterExamples: [
    { title: 'Not a name', json: { join_room: true }, code: 'WS_ROOM', at: '/join_room' },
    { title: 'No room', json: { join_room: [] }, code: 'WS_ROOM', at: '/join_room' },
    {
      title: 'Any room',
      json: { payload_validation: [{ field: { room: { type: 'STRING' } } }], join_room: '$PAYLOAD.room' },
      code: 'WS_ROOM_ANY',
      at: '/join_room',
    },
  ],
});

function check(place: CheckPlace): Finding[] {
  const anywhere = findOpenRooms(place.value['join_room'], '/join_room');
  return [...checkRoomField('join_room', place), ...anywhere.map((at) => ({ code: 'WS_ROOM_ANY', at }))];
}
