/**
 * Encodes documents as JSON. `Date`, `ObjectId` and non-JSON numbers become objects with a `$` key; a leading `$` of
 * names is doubled, so that no document imitates these.
 */
import { createHash } from 'node:crypto';
import { ObjectId } from 'bson';
import { createFault, type Fault } from '../../../contract/fault.js';
import { escapePointer, type Json } from '../../../contract/json.js';
import type { Document } from '../kind.js';

/** The nesting limit of MongoDB. */
const DEEPEST = 100;
/** Longer keys become digests, because index entries are limited in size. */
const LONGEST = 80;

export function createValueFault(pointer: string, detail: string): Fault {
  const issues = [{ pointer, code: 'QRY_BAD_VALUE', detail }];
  return createFault('QRY_BAD_VALUE', {}, pointer === '' ? {} : { issues });
}

const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/** Accepts instances of another copy of the library, but no plain objects. */
export const isObjectId = (value: unknown): value is ObjectId =>
  value instanceof ObjectId ||
  (typeof value === 'object' &&
    value !== null &&
    !isPlain(value) &&
    !Object.hasOwn(value, '_bsontype') &&
    (value as { _bsontype?: unknown })._bsontype === 'ObjectId');

/** `leaf` converts every value that is no object or array. */
function walk(value: unknown, at: string, depth: number, name: (key: string) => string, leaf: Leaf): unknown {
  if (depth > DEEPEST) throw createValueFault(toTopPointer(at), 'is nested too deeply');
  if (Array.isArray(value)) return value.map((item, i) => walk(item, `${at}/${i}`, depth + 1, name, leaf));
  if (typeof value !== 'object' || value === null || !isPlain(value)) return leaf(value, at);
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    assignKey(made, name(key), walk(value[key], `${at}/${escapePointer(key)}`, depth + 1, name, leaf));
  }
  return made;
}
/** Assignment to `__proto__` would change the prototype. */
function assignKey(made: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') made[key] = value;
  else Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true });
}

type Leaf = (value: unknown, at: string) => unknown;

/** The top-level field of a JSON pointer. */
const toTopPointer = (at: string): string => at.split('/').slice(0, 2).join('/');

function encodeLeaf(value: unknown, at: string): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'undefined':
      return null;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
        ? value
        : { $number: Object.is(value, -0) ? '-0' : String(value) };
    case 'object':
      if (value === null) return null;
      if (value instanceof Date) return { $date: toTime(value, at) };
      if (isObjectId(value)) return { $oid: value.toHexString() };
      break;
    default:
  }
  throw createValueFault(toTopPointer(at), 'cannot be kept in a document');
}

function toTime(date: Date, at: string): number {
  if (Number.isNaN(date.getTime())) throw createValueFault(toTopPointer(at), 'is no date');
  return date.getTime();
}

const escapeKey = (key: string): string => (key.startsWith('$') ? `$${key}` : key);

export const encode = (document: Document): Json => walk(document, '', 0, escapeKey, encodeLeaf) as Json;

/** Copies with plain objects, to be comparable with decoded documents. */
export const copyPlain = <T>(value: T): T =>
  walk(
    value,
    '',
    0,
    (key) => key,
    (leaf) => (isObjectId(leaf) ? new ObjectId(leaf.toHexString()) : leaf),
  ) as T;

export function decode(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decode);
  const fields = value as Record<string, unknown>;
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(fields)) {
    const inner = fields[key];
    if (!key.startsWith('$')) assignKey(made, key, decode(inner));
    else if (key === '$date') return new Date(Number(inner));
    else if (key === '$oid') return new ObjectId(String(inner));
    else if (key === '$number') return Number(inner);
    else made[key.slice(1)] = decode(inner);
  }
  return made;
}

/** Equal for equal values; null for values that need another comparison. */
export function toScalarKey(value: unknown): string | null {
  switch (typeof value) {
    case 'string':
      return `s${value}`;
    case 'boolean':
      return value ? 'bt' : 'bf';
    case 'number':
      return Number.isFinite(value) ? `n${value === 0 ? 0 : value}` : null;
    default:
  }
  if (value instanceof Date) return `d${value.getTime()}`;
  return isObjectId(value) ? `o${value.toHexString()}` : null;
}

/** Digests all but short printable ASCII text. */
export const shortenKey = (text: string): string =>
  text.length <= LONGEST && /^[\x20-\x7e]*$/.test(text)
    ? text
    : `#${createHash('sha256').update(JSON.stringify(text)).digest('base64url').slice(0, 32)}`;

export function toIdKey(id: unknown): string {
  if (Array.isArray(id) || id === undefined || id instanceof RegExp) throw createValueFault('/_id', 'cannot be an id');
  return shortenKey(toScalarKey(id) ?? `j${JSON.stringify(encode({ id }))}`);
}
