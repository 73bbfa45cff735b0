/**
 * Base58 in Bitcoin's alphabet: a number written in another base, with a `1` for each leading zero byte. Work grows with
 * the square of the length, so there is a longest value.
 */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { encoding, type Encoding } from '../../kinds/encoding.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const NONE = -1;
const VALUES = new Int8Array(256).fill(NONE);
[...ALPHABET].forEach((character, value) => (VALUES[character.charCodeAt(0)] = value));
/** Bytes of the longest value: under a millisecond. */
const MOST = 2048;
const MOST_TEXT = Math.ceil((MOST * Math.log(256)) / Math.log(58));
/** Four characters are one digit of the number while it is built: times a byte it stays far from the precise limit. */
const CHARACTERS = 4;
const DIGIT = 58 ** CHARACTERS;

export const base58: Encoding = { most: MOST, encode, decode };

/** Throws RangeError beyond its longest value. */
function encode(bytes: Uint8Array): string {
  if (bytes.length > MOST) throw new RangeError(`${bytes.length} bytes, more than ${MOST}`);
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const digits = inBase(bytes.subarray(zeros), 256, DIGIT);
  const text = digits.map((digit, i) => charactersOf(digit, i === 0)).join('');
  return '1'.repeat(zeros) + text;
}

/** Null for another alphabet, and for what is longer than any value. */
function decode(text: string): Uint8Array | null {
  if (text.length > MOST_TEXT) return null;
  const values = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? NONE;
    if (value === NONE) return null;
    values[i] = value;
  }
  let zeros = 0;
  while (zeros < values.length && values[zeros] === 0) zeros++;
  const bytes = inBase(values.subarray(zeros), 58, 0x10000).flatMap((pair) => [pair >> 8, pair & 0xff]);
  if (bytes[0] === 0) bytes.shift();
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(bytes)]);
}

/** The digits of a number in another base, most significant first; none for zero. */
function inBase(digits: Uint8Array, from: number, to: number): number[] {
  // Least significant first while it grows.
  const out: number[] = [];
  for (const digit of digits) {
    let carry = digit;
    for (let i = 0; i < out.length; i++) {
      const value = (out[i] ?? 0) * from + carry;
      carry = Math.floor(value / to);
      out[i] = value - carry * to;
    }
    for (; carry > 0; carry = Math.floor(carry / to)) out.push(carry % to);
  }
  return out.reverse();
}

function charactersOf(digit: number, first: boolean): string {
  let text = '';
  for (let rest = digit, i = 0; i < CHARACTERS && (rest > 0 || !first); i++) {
    text = (ALPHABET[rest % 58] ?? '') + text;
    rest = Math.floor(rest / 58);
  }
  return text;
}

export default defineRuntime(encoding, { create: () => base58 });
