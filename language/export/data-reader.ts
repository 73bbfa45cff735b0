/** Validates untrusted JSON against readers. Converts nothing; rejects unknown keys. */
import { isObject, getOwn, POISON_KEYS, type Json, type JsonObject } from '../../contract/json.js';

export class DataError extends Error {
  constructor(
    readonly at: string,
    readonly what: string,
  ) {
    super(`${at === '' ? 'the whole' : at} ${what}`);
    this.name = 'DataError';
  }
}

export interface Caps {
  readonly characters: number;
  readonly depth: number;
  /** `text`: maximum length of a string; `items`: of a list, and keys of an object. */
  readonly text: number;
  readonly items: number;
}

/** Parses JSON within the size limits and rejects keys such as `__proto__`. */
export function parseUntrustedJson(text: string, caps: Caps): Json {
  if (text.length > caps.characters) throw new DataError('', `is longer than ${caps.characters} characters`);
  let json: Json;
  try {
    json = JSON.parse(text) as Json;
  } catch {
    throw new DataError('', 'is not JSON');
  }
  checkLimits(json, '', 0, caps);
  return json;
}

function checkLimits(json: Json, at: string, depth: number, caps: Caps): void {
  if (depth > caps.depth) throw new DataError(at, `is nested more than ${caps.depth} levels deep`);
  if (typeof json === 'string' && json.length > caps.text)
    throw new DataError(at, `is longer than ${caps.text} characters`);
  if (typeof json !== 'object' || json === null) return;
  const entries = Object.entries(json as JsonObject);
  if (entries.length > caps.items) throw new DataError(at, `has more than ${caps.items} entries`);
  for (const [key, value] of entries) {
    if (POISON_KEYS.has(key)) throw new DataError(at, `has the key "${key}", which is reserved`);
    checkLimits(value, `${at}/${key}`, depth + 1, caps);
  }
}

export interface DataLocation {
  readonly json: Json | undefined;
  readonly at: string;
}

export type Read<T> = (place: DataLocation) => T;

const rejectValue = ({ at }: DataLocation, expected: string): never => {
  throw new DataError(at, `must be ${expected}`);
};

export const text: Read<string> = (place) => (typeof place.json === 'string' ? place.json : rejectValue(place, 'text'));
export const flag: Read<boolean> = (place) =>
  typeof place.json === 'boolean' ? place.json : rejectValue(place, 'true or false');
export const numeric: Read<number> = (place) =>
  typeof place.json === 'number' ? place.json : rejectValue(place, 'a number');
export const any: Read<Json> = (place) => (place.json === undefined ? rejectValue(place, 'there') : place.json);

export const oneOf =
  <const T extends string | number | boolean>(...values: readonly T[]): Read<T> =>
  (place) =>
    values.find((value) => value === place.json) ?? rejectValue(place, `one of ${values.join(', ')}`);

export const matching =
  (pattern: RegExp, words: string): Read<string> =>
  (place) => {
    const value = text(place);
    return pattern.test(value) ? value : rejectValue(place, words);
  };

export const list =
  <T>(item: Read<T>): Read<T[]> =>
  (place) =>
    Array.isArray(place.json)
      ? (place.json as readonly Json[]).map((json, i) => item({ json, at: `${place.at}/${i}` }))
      : rejectValue(place, 'a list');

/** The result has a null prototype, because its keys are untrusted. */
export const map =
  <T>(entry: Read<T>): Read<Record<string, T>> =>
  (place) => {
    const result = Object.create(null) as Record<string, T>;
    if (!isObject(place.json)) return rejectValue(place, 'an object');
    for (const [key, json] of Object.entries(place.json)) result[key] = entry({ json, at: `${place.at}/${key}` });
    return result;
  };

export const or =
  <T, D>(read: Read<T>, fallback: D): Read<T | D> =>
  (place) =>
    place.json === undefined ? fallback : read(place);

export const nullable =
  <T>(read: Read<T>): Read<T | null> =>
  (place) =>
    place.json === null ? null : read(place);

/** An object with exactly these fields; a field that reads as undefined is omitted. */
export const record =
  <T extends object>(fields: { readonly [K in keyof T]-?: Read<T[K]> }): Read<T> =>
  (place) => {
    const { json, at } = place;
    if (!isObject(json)) return rejectValue(place, 'an object');
    const unknown = Object.keys(json).find((key) => !Object.hasOwn(fields, key));
    if (unknown !== undefined) throw new DataError(at, `has the unknown key "${unknown}"`);
    const entries = Object.entries<Read<unknown>>(fields).map(([key, read]) => [
      key,
      read({ json: getOwn(json, key) as Json | undefined, at: `${at}/${key}` }),
    ]);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
  };
