/**
 * Converts values to the types of the model and back, and rejects client values that could be interpreted. Fields
 * without a model are not converted.
 */
import { ObjectId } from 'bson';
import { createFault, type Fault } from '../../../contract/fault.js';
import { escapePointer, isObject } from '../../../contract/json.js';
import type { ColumnType, HeldJson, ModelColumn } from '../../../contract/model.js';
import type { Reader } from '../../../contract/plan.js';
import { ExactNumber } from '../../../contract/exact-number.js';
import { isWholeDouble } from '../../../language/strings/exact-json.js';
import { readInstant } from '../../../language/strings/instant.js';
import type { Leaf } from './template.js';

/** `id` for an undeclared `_id`; null: plain JSON. */
export type StoredFieldType = ColumnType | 'id' | HeldJson | null;

/** By the path of the field (`address.city`). */
export type FieldTypeLookup = (path: string) => StoredFieldType;

export const findNoType: FieldTypeLookup = () => null;

/** `field`: the payload field, or null where the client cannot correct it. */
export function createBadValueFault(field: string | null, detail: string): Fault {
  const pointer = field === null ? null : `/${escapePointer(field)}`;
  return createFault(
    'QRY_BAD_VALUE',
    {},
    pointer === null ? {} : { issues: [{ pointer, code: 'QRY_BAD_VALUE', detail }] },
  );
}

const HEX_ID = /^[0-9a-f]{24}$/i;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A time inside an object may be any text. */
export const getHeldType = ({ type, holds }: Pick<ModelColumn, 'type' | 'holds'>): StoredFieldType =>
  type === 'json' ? (holds ?? type) : type === 'timestamp' ? null : type;

/** The type at a member of an object or an item of a list. */
export function getInnerType(type: StoredFieldType, key: string): StoredFieldType {
  if (type === null || typeof type === 'string') return null;
  const inner = type.form === 'array' ? type.items : type.fields.find(({ name }) => name === key);
  return inner === null || inner === undefined ? null : getHeldType(inner);
}

/** Stored objects and lists are checked whole by the store. */
export const toWrittenType = (type: StoredFieldType): StoredFieldType =>
  type !== null && typeof type === 'object' ? 'json' : type;

/** Converts like a SQL database: numeric text becomes a number, other text is rejected. */
export function convertValue(value: unknown, type: StoredFieldType, field: string | null): unknown {
  if (type === null || value === null || value === undefined) return value ?? null;
  if (value instanceof ExactNumber) throw createBadValueFault(field, NOT_KEPT);
  if (typeof type === 'object') return convertHeld(value, type, field);
  switch (type) {
    case 'timestamp':
      return toInstant(value, field);
    case 'integer':
    case 'float':
      return toNumber(value, type === 'integer', field);
    case 'boolean':
      return toSwitch(value, field);
    case 'id':
      return typeof value === 'string' && HEX_ID.test(value) ? new ObjectId(value) : value;
    case 'text':
      // Another value would match nothing, with `$ne` everything.
      if (typeof value !== 'string' && !(value instanceof Date) && !(value instanceof ObjectId))
        throw createBadValueFault(field, 'must be text');
      return value;
    default:
      return value;
  }
}

/** A value that is compared with an object, a list, or an item. */
function convertHeld(value: unknown, type: HeldJson, field: string | null): unknown {
  if (type.form === 'array') {
    const items = getInnerType(type, '0');
    return Array.isArray(value)
      ? value.map((item: unknown) => convertValue(item, items, field))
      : convertValue(value, items, field);
  }
  if (!isObject(value)) throw createBadValueFault(field, 'must be an object');
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, convertValue(inner, getInnerType(type, key), field)]),
  );
}

function toInstant(value: unknown, field: string | null): Date {
  if (value instanceof Date) return value;
  const instant = typeof value === 'string' ? readInstant(value) : null;
  if (instant === null)
    throw createBadValueFault(field, 'must be a time that exists, in ISO 8601, of the years 1 to 9999');
  return new Date(instant);
}

function toNumber(value: unknown, whole: boolean, field: string | null): number {
  const number = typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw createBadValueFault(field, 'must be a number');
  if (typeof value === 'string' && !isWholeDouble(value)) throw createBadValueFault(field, NOT_KEPT);
  if (whole && !Number.isSafeInteger(number)) throw createBadValueFault(field, 'must be a whole number');
  return number;
}

function toSwitch(value: unknown, field: string | null): boolean {
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw createBadValueFault(field, 'must be true or false');
}

const isOdd = (key: string): boolean =>
  key.startsWith('$') || key.includes('.') || key.includes('\0') || key === '__proto__';

const NOT_KEPT = 'is a number that no document keeps exactly';

/** Rejects NUL, and numbers that a document would change. */
export function rejectLeaf(value: unknown, field: string | null): void {
  if (typeof value === 'string' && value.includes('\0'))
    throw createBadValueFault(field, 'has a NUL, which no store keeps');
  if (value instanceof ExactNumber) throw createBadValueFault(field, NOT_KEPT);
}

/** Rejects keys that look like operators or paths. */
export function rejectInvalidKeys(value: unknown, field: string | null): void {
  const at: (string | number)[] = field === null ? [] : [field];
  const visit = (inner: unknown): void => {
    rejectLeaf(inner, field);
    if (typeof inner !== 'object' || inner === null || inner instanceof Date || inner instanceof ObjectId) return;
    for (const [key, next] of Object.entries(inner)) {
      at.push(key);
      if (!Array.isArray(inner) && isOdd(key)) throw createKeyFault(at, field !== null);
      visit(next);
      at.pop();
    }
  };
  visit(value);
}

/** Of unknown type: only keys and scalars are validated. */
export const createCheckedReader =
  ({ read, field }: { readonly read: Reader; readonly field: string | null }): Reader =>
  (frame) => {
    const sent = read(frame) ?? null;
    rejectInvalidKeys(sent, field);
    return sent;
  };

function createKeyFault(at: readonly (string | number)[], known: boolean): Fault {
  const pointer = at.map((segment) => `/${escapePointer(String(segment))}`).join('');
  const detail = 'this name cannot be kept in a document';
  return createFault('MQL_KEY', {}, known ? { issues: [{ pointer, code: 'MQL_KEY', detail }] } : {});
}

/** JSON has no infinities or `NaN`, so they become text. */
const toPlainLeaf = (value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : (value ?? null);

/** Converts a document to JSON: ids and times become text. */
export function toPlainJson(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return toPlainLeaf(value);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof ObjectId) return value.toHexString();
  if (Array.isArray(value)) return value.map(toPlainJson);
  const json = (value as { toJSON?: unknown }).toJSON;
  if (typeof json === 'function') return toPlainJson((json as () => unknown).call(value));
  const out: Record<string, unknown> = Object.hasOwn(value, '__proto__')
    ? (Object.create(null) as Record<string, unknown>)
    : {};
  for (const [key, inner] of Object.entries(value)) if (inner !== undefined) out[key] = toPlainJson(inner);
  return out;
}

export interface QueryCompileContext {
  readonly leaf: Leaf;
  readonly typeOf: FieldTypeLookup;
  readonly typesIn: (collection: string) => FieldTypeLookup;
}
