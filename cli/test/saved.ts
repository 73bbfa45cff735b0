/** Values that steps save, and their places in later steps: `$SAVED.name`. */
import { isObject, type Json } from '../../contract/json.js';
import { listAccessors } from '../../language/strings/accessor.js';
import { compilePath, splitPath } from '../../language/strings/path.js';

export type Saved = ReadonlyMap<string, unknown>;

/** The long values of `given`, by name. */
export function createValues(given: Json | undefined): Map<string, unknown> {
  const named = Object.entries(isObject(given) ? given : {});
  return new Map(
    named.map(([name, one]) => {
      const { repeat, times } = one as { readonly repeat: string | readonly Json[]; readonly times: number };
      const value =
        typeof repeat === 'string' ? repeat.repeat(times) : Array.from({ length: times }, () => repeat).flat();
      return [name, value];
    }),
  );
}

/** A text that is only an accessor becomes the value itself. */
export function fillSaved(text: string, saved: Saved): unknown {
  const parts = listAccessors(text);
  const read = ([name = '', ...path]: readonly string[]): unknown => compilePath(path)(saved.get(name));
  const [only] = parts;
  if (only?.start === 0 && only.end === text.length) return read(only.tail);
  return parts.reduceRight((rest, { start, end, tail }) => {
    const value = read(tail);
    return rest.slice(0, start) + (typeof value === 'string' ? value : JSON.stringify(value)) + rest.slice(end);
  }, text);
}

export function fillAll(json: Json, saved: Saved): unknown {
  if (typeof json === 'string') return fillSaved(json, saved);
  if (Array.isArray(json)) return (json as readonly Json[]).map((item) => fillAll(item, saved));
  if (!isObject(json)) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => [key, fillAll(value, saved)]));
}

export const readPath = (path: string, body: unknown): unknown => compilePath(splitPath(path))(body);
