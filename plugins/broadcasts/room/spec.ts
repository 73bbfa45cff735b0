/** Spec of `ROOM`: the connections that joined a room. */
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { MAX_ROOMS, findInvalidRooms, RECEIVER_ROOTS, receiverErrors } from '../shared/receivers.light.js';

export default definePlugin({
  kind: 'broadcast',
  name: 'ROOM',
  since: '0.4.0',
  aliases: ['ROOMS', 'CHANNEL', 'GROUP', 'TOPIC'],
  summary: 'Sends the message to every connection that has joined a room (extension).',
  details:
    'Connections join with `join_room`; the guard and the rules of that resource decide which callers may join. A ' +
    'connection in two of the rooms gets the message once. A room is identified by the constant parts of its text and ' +
    'the values between them, separately: `"team $PAYLOAD.team"` with `blue admins` is another room than `"team ' +
    '$PAYLOAD.team admins"` with `blue`, and than `"team blue admins"`. It makes no difference which accessor ' +
    'provides a value, or whether it is a number or its text.',
  facts: { receivers: 'broadcast_to_room', rooms: 'broadcast_to_room' },
  schema: shape({
    broadcast_to_room: value(null, {
      doc: `Name of the room: text with accessors, as \`join_room\` writes it, or a list of at most ${MAX_ROOMS} such texts.`,
      examples: ['match $PAYLOAD.match_id'],
      roots: RECEIVER_ROOTS,
      refers: { symbol: 'room' },
      afterwards: true,
    }).required(),
  }).meta({
    doc: '',
    mistaken: { broadcast_to: { say: 'the room stands in `"broadcast_to_room"`', rename: 'broadcast_to_room' } },
  }),
  check,
  openapi: () => ({ refuses: ['BRC_RECEIVER'] }),
  errors: {
    ...receiverErrors,
    BRC_NO_ROOM: {
      severity: 'error',
      title: 'No room',
      message: '`broadcast_to_room` must be text, such as "match $PAYLOAD.match_id", or a list of at most {max} texts.',
      help: 'Write the same name as in `join_room` of the other resource.',
    },
  },
  examples: [
    {
      title: 'The viewers of a match',
      json: { broadcast_type: 'ROOM', action: 'goal', broadcast_to_room: 'match $PAYLOAD.match_id' },
    },
    {
      title: 'Two rooms',
      json: { broadcast_type: 'ROOM', action: 'goal', broadcast_to_room: ['match $PAYLOAD.match_id', 'press'] },
    },
  ],
  counterExamples: [
    { title: 'No room named', json: { broadcast_type: 'ROOM', action: 'goal' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'An empty name',
      json: { broadcast_type: 'ROOM', action: 'goal', broadcast_to_room: true },
      code: 'BRC_NO_ROOM',
      at: '/broadcast_to_room',
    },
  ],
});

function check({ value: { broadcast_to_room: to } }: CheckPlace): Finding[] {
  return findInvalidRooms(to).map((at) => ({
    code: 'BRC_NO_ROOM',
    at: `/broadcast_to_room${at}`,
    params: { max: MAX_ROOMS },
  }));
}
