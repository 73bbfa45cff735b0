/** Reads lists of returned names, and decides whether they return a path. */
import { asText, type Json } from '../../../contract/json.js';

/** Without the indexes of lists; null if no list is written. */
export const readNames = (json: Json | undefined): readonly string[] | null =>
  json === undefined
    ? null
    : [json].flat().map((name) =>
        asText(name)
          .split('.')
          .filter((segment) => !/^\d+$/.test(segment))
          .join('.'),
      );

/** A listed object returns all it contains; a secret needs its own path. */
export const isPathReturned = (path: string, listed: readonly string[] | null): boolean =>
  listed === null ||
  (listed.some((name) => path.startsWith(`${name}.`)) && !listed.some((name) => isWithin(name, path)));

const isWithin = (name: string, path: string): boolean => name === path || name.startsWith(`${path}.`);

/** As written; null if no list is. */
export const listNames = (json: Json | undefined): readonly string[] | null =>
  Array.isArray(json) ? (json as readonly Json[]).map(String) : null;

/** Drops paths that another listed name covers. */
export function listUncoveredNames(json: Json | undefined): readonly string[] | null {
  const names = listNames(json);
  return names === null ? null : names.filter((name) => !names.some((other) => name.startsWith(`${other}.`)));
}
