/** Converts BSON types to JSON values. Numbers that a double cannot hold exactly become text. */
import type { Document } from '../kind.js';

interface Typed {
  readonly _bsontype: string;
  toString(): string;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** BSON types have `_bsontype` on the prototype; an own field is data. */
const isTyped = (value: object): value is Typed => !Object.hasOwn(value, '_bsontype') && '_bsontype' in value;

export function plain(document: Document): Document {
  return plainValue(document) as Document;
}

/** Converts in place: the value is not shared. */
function plainValue(value: unknown): unknown {
  if (!isObject(value) || value instanceof Date) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = plainValue(value[i]);
    return value;
  }
  if (isTyped(value)) return ofType(value);
  if (value instanceof RegExp) return String(value);
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (!isObject(inner)) continue;
    const made = plainValue(inner);
    if (made !== inner) put(value, key, made);
  }
  return value;
}

/** Assignment to `__proto__` would change the prototype. */
function put(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function ofType(value: Typed): unknown {
  switch (value._bsontype) {
    case 'ObjectId':
      return value;
    case 'Decimal128':
      return decimal(value.toString());
    case 'Binary':
      return binary(value as unknown as BinaryValue);
    case 'Timestamp':
      return new Date((value as unknown as { readonly t: number }).t * 1000);
    case 'Int32':
    case 'Double':
      return Number(value.toString());
    case 'BSONRegExp': {
      const { pattern, options } = value as unknown as { readonly pattern: string; readonly options: string };
      return `/${pattern}/${options}`;
    }
    case 'Code':
      return (value as unknown as { readonly code: string }).code;
    case 'DBRef': {
      const { collection, oid } = value as unknown as { readonly collection: string; readonly oid: unknown };
      return { collection, _id: oid };
    }
    case 'MinKey':
    case 'MaxKey':
      return value._bsontype;
    default:
      return value.toString();
  }
}

interface BinaryValue {
  readonly sub_type: number;
  toString(encoding: 'base64'): string;
  toUUID(): { toString(): string };
}
const UUID = 4;
const binary = (value: BinaryValue): string =>
  value.sub_type === UUID ? value.toUUID().toString() : value.toString('base64');

/** `12.50` becomes 12.5; numbers with more digits than a double stay text. */
function decimal(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && digitsOf(String(number)) === digitsOf(text) ? number : text;
}

/** A unique notation: digits without outer zeros, and the exponent. */
function digitsOf(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(power) - fraction.length + all.length - digits.length}`;
}
