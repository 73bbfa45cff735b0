/** BSON types to JSON values. Numbers that no double holds become text. */
import type { Document } from '../kind.js';

type BsonValue =
  | BinaryValue
  | { readonly _bsontype: 'Timestamp'; readonly t: number }
  | { readonly _bsontype: 'BSONRegExp'; readonly pattern: string; readonly options: string }
  | { readonly _bsontype: 'Code'; readonly code: string }
  | { readonly _bsontype: 'DBRef'; readonly collection: string; readonly oid: unknown }
  | { readonly _bsontype: 'MinKey' | 'MaxKey' }
  /** The others have a text. */
  | {
      readonly _bsontype: 'ObjectId' | 'Decimal128' | 'Int32' | 'Double' | 'Long' | 'UUID' | 'BSONSymbol';
      toString(): string;
    };

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** On the prototype; an own field `_bsontype` is data. */
const isTyped = (value: object): value is BsonValue => !Object.hasOwn(value, '_bsontype') && '_bsontype' in value;

export function toPlainDocument(document: Document): Document {
  return toPlainValue(document) as Document;
}

/** Converts in place: the value is not shared. */
function toPlainValue(value: unknown): unknown {
  if (!isObject(value) || value instanceof Date) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = toPlainValue(value[i]);
    return value;
  }
  if (isTyped(value)) return convertBson(value);
  if (value instanceof RegExp) return String(value);
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (!isObject(inner)) continue;
    const made = toPlainValue(inner);
    if (made !== inner) assignKey(value, key, made);
  }
  return value;
}

/** Assignment to `__proto__` would change the prototype. */
function assignKey(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

function convertBson(value: BsonValue): unknown {
  switch (value._bsontype) {
    case 'ObjectId':
      return value;
    case 'Decimal128':
      return parseDecimal(value.toString());
    case 'Binary':
      return formatBinary(value);
    case 'Timestamp':
      return new Date(value.t * 1000);
    case 'Int32':
    case 'Double':
      return Number(value.toString());
    case 'BSONRegExp':
      return `/${value.pattern}/${value.options}`;
    case 'Code':
      return value.code;
    case 'DBRef':
      return { collection: value.collection, _id: value.oid };
    case 'MinKey':
    case 'MaxKey':
      return value._bsontype;
    default:
      return value.toString();
  }
}

interface BinaryValue {
  readonly _bsontype: 'Binary';
  readonly sub_type: number;
  toString(encoding: 'base64'): string;
  toUUID(): { toString(): string };
}
const UUID = 4;
const formatBinary = (value: BinaryValue): string =>
  value.sub_type === UUID ? value.toUUID().toString() : value.toString('base64');

/** `12.50` becomes 12.5; more digits than a double's stay text. */
function parseDecimal(text: string): number | string {
  const number = Number(text);
  return Number.isFinite(number) && normalizeDigits(String(number)) === normalizeDigits(text) ? number : text;
}

/** A unique notation: digits without outer zeros, and the exponent. */
function normalizeDigits(text: string): string {
  const [, sign = '', whole = '', fraction = '', power = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const all = (whole + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return '0';
  return `${sign}${digits}e${Number(power) - fraction.length + all.length - digits.length}`;
}
