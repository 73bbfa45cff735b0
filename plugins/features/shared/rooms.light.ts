/** Field, checks and error codes shared by `join_room` and `leave_room`. */
import type { Json } from '../../../contract/json.js';
import type { FieldMeta } from '../../../contract/field-meta.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import type { CodeEntry } from '../../../contract/problem.js';
import { listAccessors } from '../../../language/strings/accessor.js';
import { value } from '../../../contract/combinators.js';
import {
  MAX_ROOMS,
  findInvalidRooms,
  RECEIVER_ROOTS,
  receiverErrors,
} from '../../broadcasts/shared/receivers.light.js';

export const roomField = (doc: string, meta: Pick<FieldMeta, 'declares' | 'refers'>) =>
  value(null, {
    doc: `${doc}: text with accessors, or a list of at most ${MAX_ROOMS} such texts.`,
    examples: ['match $PAYLOAD.match_id'],
    form: '"match $PAYLOAD.match_id"',
    roots: RECEIVER_ROOTS,
    afterwards: true,
    ...meta,
  });

export const roomErrors = {
  ...receiverErrors,
  WS_NO_CONNECTION: {
    status: 409,
    title: 'No connection',
    message: 'This request has no WebSocket connection, so it cannot join or leave a room.',
    help: 'Send it as a message over a WebSocket connection.',
  },
  WS_ROOMS_FULL: {
    status: 409,
    title: 'Too many rooms',
    message:
      'The request succeeded, but the connection has ended, or has reached its limit of rooms, and did not join "{name}".',
    help: 'Leave a room first. The limit is in the config.',
  },
  WS_ROOM: {
    severity: 'error',
    title: 'No room',
    message: '`{field}` must be text, such as "match $PAYLOAD.match_id", or a list of at most {max} texts.',
    help: 'A room exists while a connection is in it; any text is a name.',
  },
  WS_ROOM_LATER: {
    severity: 'error',
    title: 'No connection',
    message: '`{field}` needs the connection of the message, but this actionable runs {when}.',
    help: 'Move it to an actionable that runs in the foreground.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;

export const ROOM_ANY = {
  severity: 'hint',
  title: 'Any room',
  message: 'Callers can join any room by name, including rooms that another definition reserves.',
  help: 'Add a constant prefix that no other room has: "match $PAYLOAD.match_id".',
} as const satisfies CodeEntry;

/** Findings of a field, except the hint ROOM_ANY. */
export function checkRoomField(field: string, { value: written, holder, root, actions }: CheckPlace): Finding[] {
  const at = `/${field}`;
  const rooms = written[field];
  const list: readonly unknown[] = Array.isArray(root['actionables']) ? root['actionables'] : [];
  const index = list.findIndex((one) => one === holder || getId(one) === holder['id']);
  const { later = false, scheduled = false } = actions.find((action) => action.index === index)?.timing ?? {};
  const when = scheduled ? 'on a schedule' : 'after the response';
  return [
    ...findInvalidRooms(rooms).map((place) => ({
      code: 'WS_ROOM',
      at: `${at}${place}`,
      params: { field, max: MAX_ROOMS },
    })),
    ...(later || scheduled ? [{ code: 'WS_ROOM_LATER', at, key: true as const, params: { field, when } }] : []),
  ];
}

const getId = (one: unknown): unknown => (typeof one === 'object' && one !== null && 'id' in one ? one.id : undefined);

/** Pointers of room names that consist only of a client value. */
export function findOpenRooms(rooms: Json | undefined, at: string): string[] {
  if (Array.isArray(rooms))
    return (rooms as readonly Json[]).flatMap((room, index) => findOpenRooms(room, `${at}/${index}`));
  if (typeof rooms !== 'string') return [];
  const [only] = listAccessors(rooms);
  const isWhole = only?.start === 0 && only.end === rooms.length;
  return isWhole && ['PAYLOAD', 'HEADER'].includes(only.root) ? [at] : [];
}
