/** Selects names of a result: of a row, or of each row of a list. Dotted paths select nested values; absent ones stay absent. */
import { isObject, POISON_KEYS, type Json } from '../../../contract/json.js';
import { compilePath, splitPath, writePath, type PathReader } from '../../../language/strings/path.js';

export interface Picked {
  readonly path: readonly string[];
  readonly read: PathReader;
}

/** The names as written; null where there is no list. */
export const namesWritten = (json: Json | undefined): readonly string[] | null =>
  Array.isArray(json) ? (json as readonly Json[]).map(String) : null;

/** Drops paths that another listed name covers, such as `address.city` next to `address`. */
export function namesListed(json: Json | undefined): readonly string[] | null {
  const names = namesWritten(json);
  return names === null ? null : names.filter((name) => !names.some((other) => name.startsWith(`${other}.`)));
}

export const pickers = (names: readonly string[]): readonly Picked[] =>
  names.map((name) => ({ path: splitPath(name), read: compilePath(splitPath(name)) }));

/** True for a single column name, which is never a path. */
export const isFlat = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !POISON_KEYS.has(name);

/** Applies `change` to each row of a list; values other than objects are returned unchanged. */
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
