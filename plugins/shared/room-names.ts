/**
 * Room names of definitions: literal text and request values are separated, so that no value can imitate another
 * room.
 */
import { asText, type Json } from '../../contract/json.js';
import type { PlanTools, Reader } from '../../contract/plan.js';
import { readConstantText } from '../../contract/constant-text.js';
import { parseTemplate } from '../../language/strings/accessor.js';
import { toReceiverName } from '../broadcasts/shared/receivers.light.js';

export interface Room {
  /** Equal only for equal literal text around equal values. */
  readonly key: string;
  /** For display. */
  readonly name: string;
}

/** A value is a one-element array. */
export type RoomPart = string | readonly [value: string];

/** Throws the Fault BRC_RECEIVER, which names `field`. */
export function createRoomReader(written: Json, field: string, tools: PlanTools): Reader<Room> {
  const parts = typeof written === 'string' ? parseTemplate(written) : [];
  const readers = parts.map((part) => {
    if (typeof part === 'string') return part;
    const text = asText(written).slice(part.start, part.end);
    // Environment variables are resolved at load, like literal text.
    if (part.root === 'ENV') return readConstantText(text, tools);
    return parts.length > 1 ? tools.text(text) : createNameReader(tools.value(text), field);
  });
  if (readers.every((reader) => typeof reader === 'string')) {
    const name = typeof written === 'string' ? readers.join('') : written;
    return () => toRoom([toReceiverName(name, field)], field);
  }
  return (frame) =>
    toRoom(
      readers.map((reader) => (typeof reader === 'string' ? reader : [reader(frame)])),
      field,
    );
}

const createNameReader =
  (read: Reader, field: string): Reader<string> =>
  (frame) =>
    toReceiverName(read(frame), field);

function toRoom(parts: readonly RoomPart[], field: string): Room {
  return { key: toRoomKey(parts), name: toReceiverName(parts.flat().join(''), field) };
}

/** The name of a key, for display. */
export const formatRoomKey = (key: string): string =>
  key.startsWith('[') ? (JSON.parse(key) as readonly RoomPart[]).flat().join('') : key;

/** Unique per list of parts; adjacent literal texts are joined first. */
export function toRoomKey(parts: readonly RoomPart[]): string {
  const joined: RoomPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (typeof part === 'string' && typeof last === 'string') joined[joined.length - 1] = last + part;
    else if (part !== '') joined.push(part);
  }
  const [only] = joined;
  return joined.length === 1 && typeof only === 'string' && !only.startsWith('[') ? only : JSON.stringify(joined);
}
