/** Validates v4.local keys: 32 ASCII characters, or prefixed bytes. Messages must never contain a key. */
import { getByteLength, findKeyFlaw } from '../shared/keys.light.js';

export const KEY_BYTES = 32;
export const HEX = 'hex:';
export const BASE64 = 'base64:';

/** Valid lengths: plain, hexadecimal, Base64 with and without padding. */
const LENGTHS: ReadonlySet<number> = new Set([KEY_BYTES, HEX.length + 64, BASE64.length + 43, BASE64.length + 44]);

export const findLengthProblem = (characters: number): string | null =>
  LENGTHS.has(characters) ? null : `it has ${characters} characters and needs exactly ${KEY_BYTES}`;

/** Why a key is invalid, with a suggestion, or null. */
export function findLocalKeyFlaw(key: string): string | null {
  const flaw = findKeyFlaw(key);
  if (flaw !== null) return flaw;
  if (key.startsWith(HEX)) {
    return /^hex:[0-9a-fA-F]{64}$/.test(key) ? null : 'behind `hex:` it needs 64 hexadecimal digits (32 bytes)';
  }
  if (key.startsWith(BASE64)) {
    // 43 characters hold 258 bits, of which the last two must be zero.
    const isWhole = /^base64:(?:[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=?|[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048])$/.test(key);
    return isWhole ? null : 'behind `base64:` it needs 32 bytes in base64';
  }
  const characters = [...key].length;
  if (characters !== KEY_BYTES) return `it has ${characters} characters and needs exactly ${KEY_BYTES}`;
  const bytes = getByteLength(key);
  return bytes === KEY_BYTES ? null : `its 32 characters are ${bytes} bytes; use plain ASCII, or the prefix \`hex:\``;
}
