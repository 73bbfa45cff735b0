/** JSON.stringify in pieces for long lists, so that other work continues in between. */
import { isObject } from '../../contract/json.js';

/** Items of a list. */
const LONG = 1000;
/** Items of a piece. */
const PIECE = 100;

const isLong = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.length > LONG;

/** A long list, or an object with one. */
export function hasLongList(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > LONG;
  if (!isObject(value) || 'toJSON' in value) return false;
  for (const name in value) if (isLong(value[name])) return true;
  return false;
}

export function* writeJsonPieces(value: unknown): Generator<string> {
  if (isLong(value)) {
    for (let at = 0; at < value.length; at += PIECE)
      yield (at === 0 ? '[' : ',') + JSON.stringify(value.slice(at, at + PIECE)).slice(1, -1);
    yield ']';
  } else if (isObject(value) && hasLongList(value)) {
    let before = '{';
    for (const [name, member] of Object.entries(value)) {
      // Undefined for what JSON leaves out.
      const text = isLong(member) ? '' : (JSON.stringify(member) as string | undefined);
      if (text === undefined) continue;
      yield `${before}${JSON.stringify(name)}:${text}`;
      if (isLong(member)) yield* writeJsonPieces(member);
      before = ',';
    }
    yield '}';
  } else yield JSON.stringify(value ?? null);
}
