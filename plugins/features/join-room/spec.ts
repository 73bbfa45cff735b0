/** Spec of `join_room`: this connection receives the messages to a room from now on. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { findOpenRooms, checkRoomField, ROOM_ANY, roomErrors, roomField } from '../shared/rooms.light.js';

const ROOM = { say: 'a connection joins a room by `"join_room": "match $PAYLOAD.match_id"`', rename: 'join_room' };
const INVENTED = { room: ROOM, rooms: ROOM, channel: ROOM, subscribe: ROOM, join: ROOM };

export default definePlugin({
  kind: 'feature',
  name: 'join_room',
  since: '0.4.0',
  summary: 'The connection that the message came over joins a room (extension).',
  details:
    'It joins once the work is committed, and gets what `broadcast_type` `ROOM` sends there until it leaves or ends. Guards and ' +
    'rules of the resource decide who may; a connection that comes back joins again. A request that came over no connection is ' +
    'refused before any work is done. A number is taken as its text.',
  facts: { applies: 'when-present', joins: 'join_room' },
  slots: { actionable: shape({ join_room: roomField('Name of the room that is joined') }, { mistaken: INVENTED }) },
  check,
  openapi: () => ({ refuses: ['WS_NO_CONNECTION', 'WS_ROOMS_FULL', 'BRC_RECEIVER'] }),
  errors: { ...roomErrors, WS_ROOM_ANY: ROOM_ANY },
  examples: [
    {
      title: 'A row says who may',
      json: {
        payload_validation: [{ field: { match_id: { type: 'NUMBER' } } }],
        must_return_value: true,
        join_room: 'match $PAYLOAD.match_id',
      },
    },
    { title: 'Two rooms', json: { join_room: ['news', 'scores'] } },
  ],
  counterExamples: [
    { title: 'No name', json: { join_room: true }, code: 'WS_ROOM', at: '/join_room' },
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
