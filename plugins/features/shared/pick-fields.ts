/** Names of a row, or of each row of a list. Dotted paths select nested values; absent ones stay absent. */
import { isObject, POISON_KEYS, type Json } from '../../../contract/json.js';
import { compilePath, splitPath, writePath, type PathReader } from '../../../language/strings/path.js';

export interface FieldPicker {
  readonly path: readonly string[];
  readonly read: PathReader;
}

/** The names as written; null where there is no list. */
export const listWrittenNames = (json: Json | undefined): readonly string[] | null =>
  Array.isArray(json) ? (json as readonly Json[]).map(String) : null;

/** Drops paths that another listed name covers, such as `address.city` next to `address`. */
export function listDistinctNames(json: Json | undefined): readonly string[] | null {
  const names = listWrittenNames(json);
  return names === null ? null : names.filter((name) => !names.some((other) => name.startsWith(`${other}.`)));
}

export const createPickers = (names: readonly string[]): readonly FieldPicker[] =>
  names.map((name) => ({ path: splitPath(name), read: compilePath(splitPath(name)) }));

/** True for a single column name, which is never a path. */
export const isFlat = (name: string): boolean => /^[A-Za-z_]\w*$/.test(name) && !POISON_KEYS.has(name);

/** Applies `change` to each row of a list; values other than objects are returned unchanged. */
export function changeRows(result: unknown, change: (row: object) => unknown): unknown {
  if (Array.isArray(result)) return result.map((row: unknown) => (isObject(row) ? change(row) : row));
  return typeof result === 'object' && result !== null ? change(result) : result;
}

/** Rows that are changed before other requests go on. */
export const TURN = 200;

/** In turns of the event loop where the list is long. */
export async function changeInTurns(
  rows: readonly unknown[],
  change: (rows: readonly unknown[]) => readonly unknown[],
): Promise<unknown[]> {
  const out: unknown[] = [];
  for (let at = 0; at < rows.length; at += TURN) {
    out.push(...change(rows.slice(at, at + TURN)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  return out;
}

export function pickFields(row: object, picked: readonly FieldPicker[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { path, read } of picked) {
    const value = read(row);
    if (value !== undefined) writePath(out, path, value);
  }
  return out;
}
