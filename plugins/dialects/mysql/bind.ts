/**
 * Binds values. MySQL compares text with numbers by its numeric prefix (`0` equals every word), so each value is
 * converted to the type of its place or rejected.
 */
import mysql from 'mysql2';
import { ExactNumber } from '../../../contract/exact-number.js';
import { createFault, Fault } from '../../../contract/fault.js';
import { isWholeDouble, writeJson } from '../../../language/strings/exact-json.js';
import type { ValueType } from './types.js';
import type { RenderedSql } from './words.js';

export type BoundValue = string | null | number | Buffer | ReturnType<typeof mysql.TypedParameter.LONGLONG>;

/** Null: the type of the place is unknown. */
export type BindType =
  | ValueType
  | 'arithmetic'
  | 'limit'
  | 'path'
  | 'search'
  | null
  | { readonly list: ValueType | null };

const createValueFault = (): Error => createFault('QRY_BAD_VALUE');

/** Rejects NUL, as PostgreSQL does, and lone surrogates. */
function validateText(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw createValueFault();
  return text;
}

function validateJsonValue(_key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new RangeError('not a finite number');
  if (typeof value === 'string') validateText(value);
  return value;
}

/** MySQL's JSON stores 64-bit integers; every other number is a double. */
function validateJsonNumber(number: ExactNumber): void {
  if (!number.isWhole) throw createValueFault();
  const whole = BigInt(number.toString());
  if (whole < -(1n << 63n) || whole >= 1n << 64n) throw createValueFault();
}

function toJsonText(value: unknown): string {
  let text: string | undefined;
  try {
    JSON.stringify(value, validateJsonValue);
    text = writeJson(value, validateJsonNumber);
  } catch (cause) {
    throw createFault('QRY_BAD_VALUE', {}, { cause });
  }
  if (text === undefined) throw createValueFault();
  return text;
}

function toPlainText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return validateText(value);
    case 'number':
      if (!Number.isFinite(value)) throw createValueFault();
      return String(value);
    case 'bigint':
    case 'boolean':
      return String(value);
    default:
      if (value instanceof ExactNumber) return value.toString();
      if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString();
      if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
      return toJsonText(value);
  }
}

const BITS: Readonly<Partial<Record<ValueType, bigint>>> = { tiny: 8n, small: 16n, medium: 24n, int: 32n, big: 64n };
const INTEGER = /^\s*[+-]?\d+\s*$/;
const NUMBER = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\s*$/;

/** The text `1.0` is rejected, as on PostgreSQL. */
function bindInteger(value: unknown, type: ValueType): BoundValue {
  const text = toPlainText(value);
  if (typeof value === 'number' && !Number.isInteger(value)) throw createValueFault();
  const exact =
    typeof value === 'number' ? BigInt(value) : INTEGER.test(text) ? BigInt(text.trim().replace('+', '')) : null;
  const half = 1n << ((BITS[type] ?? 64n) - 1n);
  // The server rejects what the column cannot store.
  if (exact === null || exact < -half || exact >= (type === 'big' ? half : half * 2n)) throw createValueFault();
  return mysql.TypedParameter.LONGLONG(exact);
}

function toDecimalText(value: unknown): string {
  const text = toPlainText(value).trim();
  if (!NUMBER.test(text)) throw createValueFault();
  return text.replace(/^\+/, '');
}

/** Rejects integers that a double cannot hold exactly. */
function toDouble(value: unknown): number {
  const text = toDecimalText(value);
  const number = Number(text);
  if (!Number.isFinite(number) || !isWholeDouble(text)) throw createValueFault();
  return number;
}

const TRUE = /^(?:t|tr|tru|true|y|ye|yes|on|1)$/i;
const FALSE = /^(?:f|fa|fal|fals|false|n|no|of|off|0)$/i;

export function toBit(value: unknown): number {
  const text = toPlainText(value).trim();
  if (TRUE.test(text)) return 1;
  if (FALSE.test(text)) return 0;
  throw createValueFault();
}

const INSTANT =
  /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?\s*$/i;

/** Converts ISO 8601 to the text of a DATETIME(6) in UTC. */
export function toDatetime(value: unknown): string {
  const found = INSTANT.exec(toPlainText(value));
  if (!found) throw createValueFault();
  const [, year = '', month = '', day = '', hour = '00', minute = '00', second = '00', fraction = '', zone] = found;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) throw createValueFault();
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone ?? '') ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  const utc = new Date(date.getTime() - offset * 60_000).toISOString();
  return `${utc.slice(0, 10)} ${utc.slice(11, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}`;
}

export const toDate = (value: unknown): string => toDatetime(value).slice(0, 10);

function toTimeText(value: unknown): string {
  const text = toPlainText(value).trim();
  if (!/^\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?$/.test(text)) throw createValueFault();
  return text;
}

function toUuidText(value: unknown): string {
  const text = toPlainText(value).trim();
  if (!/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text)) throw createValueFault();
  return text.toLowerCase();
}

/** `\x` and hexadecimal digits; other text is its own bytes. */
function toBytes(value: unknown): string | Buffer {
  const text = toPlainText(value);
  if (!text.startsWith('\\x')) return text;
  if (!/^(?:[0-9a-f]{2})*$/i.test(text.slice(2))) throw createValueFault();
  return Buffer.from(text.slice(2), 'hex');
}

function toJsonPath(value: unknown): string {
  const key = toPlainText(value);
  if (/["\\]/.test(key)) throw createValueFault();
  return `$."${key}"`;
}

/** Stop words, which the server does not index. */
const LEFT_OUT = new Set(
  'about are com for from how that the this und was what when where who will with www'.split(' '),
);

/** Requires all words. Only letters and digits, so no operators. */
function toSearchExpression(value: unknown): string {
  const words =
    toPlainText(value)
      .toLowerCase()
      .match(/[\p{L}\p{N}_]+/gu) ?? [];
  return words
    .filter((word) => word.length >= 3 && !LEFT_OUT.has(word))
    .map((word) => `+${word}`)
    .join(' ');
}

function toJsonList(value: unknown, type: ValueType | null): string {
  if (!Array.isArray(value)) throw createValueFault();
  return JSON.stringify(
    value.map((item) => {
      // JSON has no bytes.
      const bound = bindValue(item, type === 'bytes' ? 'text' : (type ?? 'text'));
      return typeof bound === 'object' && bound !== null && 'value' in bound ? String(bound.value) : bound;
    }),
  );
}

/** Whether the server reads the entire text as a number. */
export const isNumeric = (text: string): boolean => NUMBER.test(text);

/** Text equals a number only if it is that number. */
const toUntypedText = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? '1' : '0') : toPlainText(value);

const BINDS: Readonly<Record<ValueType | 'arithmetic' | 'limit' | 'path' | 'search', (value: unknown) => BoundValue>> =
  {
    tiny: (value) => bindInteger(value, 'tiny'),
    small: (value) => bindInteger(value, 'small'),
    medium: (value) => bindInteger(value, 'medium'),
    int: (value) => bindInteger(value, 'int'),
    big: (value) => bindInteger(value, 'big'),
    limit: (value) => bindInteger(value, 'big'),
    number: toDecimalText,
    arithmetic: (value) => {
      const text = toDecimalText(value);
      const whole = INTEGER.test(text) && text.length < 19;
      return whole ? mysql.TypedParameter.LONGLONG(BigInt(text)) : typeof value === 'number' ? value : text;
    },
    float: toDouble,
    boolean: toBit,
    text: toPlainText,
    uuid: toUuidText,
    instant: toDatetime,
    date: toDate,
    time: toTimeText,
    json: toJsonText,
    bytes: toBytes,
    path: toJsonPath,
    search: toSearchExpression,
  };

export function bindValue(value: unknown, type: BindType): BoundValue {
  if (type === 'json') return value === null || value === undefined ? null : toJsonText(value);
  if (value === null || value === undefined) return null;
  if (type === null) return toUntypedText(value);
  return typeof type === 'object' ? toJsonList(value, type.list) : BINDS[type](value);
}

export type Bind = (piece: RenderedSql) => BoundValue[];

export interface Binder {
  readonly bind: Bind;
  /** A text that is no number was bound where the type is unknown. */
  readonly isUnsure: () => boolean;
}

export function createBinder(types: ReadonlyMap<number, BindType>, values: readonly unknown[]): Binder {
  let unsure = false;
  const bind: Bind = ({ order, places }: RenderedSql) =>
    order.map((parameter, i) => {
      const type = types.get(places[i] ?? -1) ?? null;
      const value = bindParameter(values[parameter], type, parameter + 1);
      unsure ||= type === null && typeof value === 'string' && !isNumeric(value);
      return value;
    });
  return { bind, isUnsure: () => unsure };
}

/** The Fault names the parameter. */
function bindParameter(value: unknown, type: BindType, n: number): BoundValue {
  try {
    return bindValue(value, type);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const detail = 'does not fit the type that the query expects';
    throw createFault(error.code, {}, { ...error.options, issues: [{ pointer: `$${n}`, code: error.code, detail }] });
  }
}
