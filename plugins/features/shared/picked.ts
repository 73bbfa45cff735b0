/** Names that are kept of a result: a row, or each row of a list. Dotted paths lead inside; what is absent stays absent. */
import { isObject, POISON_KEYS, type Json } from '../../../kernel/contract/json.js';
import { compilePath, splitPath, writePath, type PathReader } from '../../../kernel/language/path.js';

export interface Picked {
  readonly path: readonly string[];
  readonly read: PathReader;
}

/** A list of names as a definition writes it; null where there is none. */
export const namesWritten = (json: Json | undefined): readonly string[] | null =>
  Array.isArray(json) ? (json as readonly Json[]).map(String) : null;

/** A name covers the paths inside it: `address` leaves nothing for `address.city` to say. */
export function namesListed(json: Json | undefined): readonly string[] | null {
  const names = namesWritten(json);
  return names === null ? null : names.filter((name) => !names.some((other) => name.startsWith(`${other}.`)));
}

export const pickers = (names: readonly string[]): readonly Picked[] =>
  names.map((name) => ({ path: splitPath(name), read: compilePath(splitPath(name)) }));

/** A name that is one column, never a path. */
export const isFlat = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !POISON_KEYS.has(name);

/** A list is picked from row by row; anything that is not an object has no names to keep. */
export function onEach(result: unknown, change: (row: object) => unknown): unknown {
  if (Array.isArray(result)) return result.map((row: unknown) => (isObject(row) ? change(row) : row));
  return typeof result === 'object' && result !== null ? change(result) : result;
}

export function pick(row: object, picked: readonly Picked[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { path, read } of picked) {
    const value = read(row);
    if (value !== undefined) writePath(out, path, value);
  }
  return out;
}
