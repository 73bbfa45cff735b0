/**
 * Base58 in Bitcoin's alphabet, with a `1` for each leading zero byte. The work grows quadratically with the length, so values
 * are bounded.
 */
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const NONE = -1;
const VALUES = new Int8Array(128).fill(NONE);
[...ALPHABET].forEach((character, value) => (VALUES[character.charCodeAt(0)] = value));
/** Maximum bytes of a value; converting them takes well under a millisecond. */
const MOST = 2048;
const MOST_TEXT = Math.ceil((MOST * Math.log(256)) / Math.log(58));
/** Characters converted at a time: their value must be a safe integer. */
const GROUP = 9;
const POWER = 58n ** BigInt(GROUP);

export const base58: Encoding = { most: MOST, encode, decode };

/** Throws RangeError for more than MOST bytes. */
function encode(bytes: Uint8Array): string {
  if (bytes.length > MOST) throw new RangeError(`${bytes.length} bytes, more than ${MOST}`);
  let zeros = 0;
  while (zeros < bytes.length && bytes[zeros] === 0) zeros++;
  const digits = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  let number = BigInt(`0x0${digits}`);
  let text = '';
  while (number > 0n) {
    const rest = Number(number % POWER);
    number /= POWER;
    text = encodeGroup(rest, number > 0n ? GROUP : 1) + text;
  }
  return '1'.repeat(zeros) + text;
}

function encodeGroup(value: number, least: number): string {
  let text = '';
  for (let rest = value; rest > 0; rest = Math.floor(rest / 58)) text = (ALPHABET[rest % 58] ?? '') + text;
  return text.padStart(least, '1');
}

/** Null for characters of another alphabet, and for text longer than any value. */
function decode(text: string): Uint8Array | null {
  if (text.length > MOST_TEXT) return null;
  let zeros = 0;
  while (zeros < text.length && text[zeros] === '1') zeros++;
  let number = 0n;
  // The first group takes the remainder.
  let end = zeros + ((text.length - zeros) % GROUP);
  for (let at = zeros; at < text.length; at = end, end += GROUP) {
    if (end === at) continue;
    const value = decodeGroup(text, at, end);
    if (value === NONE) return null;
    number = number * POWER + BigInt(value);
  }
  const digits = number === 0n ? '' : number.toString(16);
  return Buffer.concat([Buffer.alloc(zeros), Buffer.from(digits.length % 2 === 1 ? `0${digits}` : digits, 'hex')]);
}

function decodeGroup(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = VALUES[text.charCodeAt(at)] ?? NONE;
    if (digit === NONE) return NONE;
    value = value * 58 + digit;
  }
  return value;
}

export default defineRuntime(encoding, { create: () => base58 });
