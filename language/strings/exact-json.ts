/**
 * JSON without loss of digits: a number that no double holds is an `ExactNumber`. Other text uses `JSON.parse` alone.
 */
import { ExactNumber } from '../../contract/exact-number.js';

const NUMERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;
/** Matches a number that may not fit a double, or a string that looks like one. */
const MAY_BE_INEXACT = /[\d.]{16}|\d[eE][+-]?\d{3}/;

interface Parts {
  readonly sign: string;
  /** Without zeros at either end; empty for zero. */
  readonly digits: string;
  /** The power of ten that multiplies `digits`. */
  readonly power: number;
}

function parseParts(text: string): Parts | null {
  const [all, sign = '', whole = '', fraction = '', power = '0'] = NUMERAL.exec(text) ?? [];
  if (all === undefined) return null;
  const written = (whole + fraction).replace(/^0+/, '');
  const digits = written.replace(/0+$/, '');
  return { sign, digits, power: Number(power) - fraction.length + written.length - digits.length };
}

const isSame = (a: Parts, b: Parts): boolean =>
  a.digits === b.digits && (a.digits === '' || (a.power === b.power && a.sign === b.sign));

function isDouble(parts: Parts, number: number): boolean {
  const short = parseParts(String(number));
  if (short !== null && isSame(parts, short)) return true;
  // Many programs print fractions with 17 digits, which represent the double.
  const long = parts.power < 0 && Number.isFinite(number) ? parseParts(number.toPrecision(17)) : null;
  return long !== null && isSame(parts, long);
}

/** Null if `text` is not a number. */
export function toExactNumber(text: string): number | ExactNumber | null {
  const number = Number(text);
  if (Number.isFinite(number) && String(number) === text) return number;
  const parts = parseParts(text);
  if (parts === null) return null;
  if (isDouble(parts, number)) return number + 0;
  const { sign, digits, power } = parts;
  // Only an exponent makes a number larger than its text is long.
  if (power < 0 || power > MOST_ZEROS) return new ExactNumber(text);
  return new ExactNumber(sign + digits + '0'.repeat(power));
}
const MOST_ZEROS = 400;

/** False for an integer that a double would change. Rounding of fractions is accepted. */
export function isWholeDouble(text: string): boolean {
  if (text.length < 16) return true;
  const number = toExactNumber(text);
  return !(number instanceof ExactNumber) || !number.isWhole;
}
const LONGEST = 400;

/** True for numbers beyond the range even of an ExactNumber. */
export function isBeyondDouble(text: string): boolean {
  const number = Number(text);
  return text.length > LONGEST || !Number.isFinite(number) || (number === 0 && parseParts(text)?.digits !== '');
}

// Every platform has this global, but the types of these modules do not include it.
declare const crypto: { randomUUID(): string };

/** Random for each process, so no input contains it. */
const MARK = `${crypto.randomUUID()} `;
const MARKED = new RegExp(`"${MARK}([^"]+)"`, 'g');

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** For the bytes that continue a number of JSON. */
export const isNumeric = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2e || code === 0x2d || code === 0x2b || code === 0x65 || code === 0x45;

/** Like `JSON.parse`. The callback receives each number that a double cannot hold and may throw. */
export function parseExact(text: string, onNumber?: (digits: string) => void): unknown {
  const plain: unknown = JSON.parse(text);
  let marked = '';
  let kept = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      for (i++; text.charCodeAt(i) !== QUOTE; i++) if (text.charCodeAt(i) === BACKSLASH) i++;
    } else if (code === 0x2d || (code >= 0x30 && code <= 0x39)) {
      const start = i;
      while (isNumeric(text.charCodeAt(i + 1))) i++;
      const token = text.slice(start, i + 1);
      const number = toExactNumber(token);
      if (!(number instanceof ExactNumber)) continue;
      onNumber?.(token);
      marked += `${text.slice(kept, start)}"${MARK}${number.toString()}"`;
      kept = i + 1;
    }
  }
  return kept === 0 ? plain : (JSON.parse(marked + text.slice(kept), restoreNumber) as unknown);
}

const restoreNumber = (_: string, value: unknown): unknown =>
  typeof value === 'string' && value.startsWith(MARK) ? new ExactNumber(value.slice(MARK.length)) : value;

/** `onNumber`: as `parseExact`. */
export const parseExactJson = (text: string, onNumber?: (digits: string) => void): unknown =>
  MAY_BE_INEXACT.test(text) ? parseExact(text, onNumber) : (JSON.parse(text) as unknown);

/** Like `JSON.stringify`. The callback receives each ExactNumber and may throw. */
export function writeJson(value: unknown, onNumber?: (number: ExactNumber) => void): string | undefined {
  const text = JSON.stringify(value, function (this: Record<string, unknown>, key: string, made: unknown) {
    const own = this[key];
    if (!(own instanceof ExactNumber)) return made;
    onNumber?.(own);
    return MARK + own.toString();
  }) as string | undefined;
  return text?.replace(MARKED, '$1');
}

/** `least` is the smaller power of both numbers. */
const scaleTo = ({ sign, digits, power }: Parts, least: number): bigint =>
  BigInt(`${sign}${digits === '' ? '0' : digits}`) * 10n ** BigInt(power - least);

/** Returns a negative number, 0 or a positive number. */
export function compareNumbers(a: number | ExactNumber, b: number): number {
  if (typeof a === 'number' || !Number.isFinite(b)) return Number(a) - b;
  const [left, right] = [parseParts(a.toString()), parseParts(String(b))];
  if (left === null || right === null) return Number.NaN;
  const least = Math.min(left.power, right.power);
  const difference = scaleTo(left, least) - scaleTo(right, least);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}
