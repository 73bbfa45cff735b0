/** Bounds, checks of written receivers, and conversion of request values to names, for broadcasts and rooms. */
import { ExactNumber } from '../../../contract/exact-number.js';
import { createFault } from '../../../contract/fault.js';
import { isObject, type Json } from '../../../contract/json.js';
import type { CodeEntry } from '../../../contract/problem.js';
import { text } from '../../../contract/combinators.js';

/** Maximum characters of a uid or a room name. */
export const MAX_NAME = 256;
/** Maximum receivers of one message. */
export const MAX_UIDS = 10_000;
export const MAX_ROOMS = 100;

/** Accessor roots allowed in receivers and rooms. */
export const RECEIVER_ROOTS = ['PAYLOAD', 'PROTECTED', 'HEADER', 'ENV'];

export const isInvalidReceiver = (json: Json | undefined): boolean =>
  json === null || typeof json === 'boolean' || json === '' || isObject(json) || Array.isArray(json);

/** Pointers, relative to the field, of invalid room names. */
export function findInvalidRooms(rooms: Json | undefined): string[] {
  if (rooms === undefined) return [];
  if (!Array.isArray(rooms)) return isInvalidReceiver(rooms) ? [''] : [];
  const list = rooms as readonly Json[];
  if (list.length === 0 || list.length > MAX_ROOMS) return [''];
  return list.flatMap((room, index) => (isInvalidReceiver(room) ? [`/${index}`] : []));
}

/** The guard that issues the `uid`s, if it is another resource's. */
export const guardField = text({
  doc: 'Id of a resource: its guard authenticates the receivers (extension). Default: the guard of this resource.',
  refers: { symbol: 'resource' },
  examples: ['my-orders'],
  advanced: true,
});

/** Converts to a bounded name. Throws BRC_RECEIVER, naming `field`. */
export function toReceiverName(value: unknown, field: string): string {
  const text =
    (typeof value === 'number' && Number.isFinite(value)) || value instanceof ExactNumber ? value.toString() : value;
  if (typeof text !== 'string' || text === '' || text.length > MAX_NAME) {
    throw createFault('BRC_RECEIVER', { field, max: MAX_NAME });
  }
  return text;
}

export const receiverErrors = {
  BRC_RECEIVER: {
    status: 422,
    title: 'No receiver',
    message: '"{field}" must be text of at most {max} characters, or a number.',
    help: 'Nothing was sent. The receiver must come from the request or from a result.',
  },
} as const satisfies Readonly<Record<string, CodeEntry>>;
