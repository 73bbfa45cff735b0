/** Validates bytes in definitions: plain text as UTF-8, or `hex:` and `base64:` prefixes. Messages never contain a key. */
import { getByteLength, findKeyFlaw } from '../../tokens/shared/keys.light.js';
import type { EnvFact } from '../../../contract/plugin.js';

export const HEX = 'hex:';
export const BASE64 = 'base64:';

/** Of unpadded Base64, by the number of unused bits. */
const LAST = { 0: /[A-Za-z0-9+/_-]$/, 2: /[AEIMQUYcgkosw048]$/, 4: /[AQgw]$/ } as const;

const countCharacters = (bytes: number): number => Math.ceil((bytes * 4) / 3);

/** Why a text is not exactly `bytes` bytes (null: any number), or null. */
export function findBytesFlaw(text: string, bytes: number | null): string | null {
  if (text.startsWith(HEX)) return findHexFlaw(text.slice(HEX.length), bytes);
  if (text.startsWith(BASE64)) return findBase64Flaw(text.slice(BASE64.length), bytes);
  const actual = getByteLength(text);
  return bytes === null || actual === bytes ? null : `it has ${actual} bytes and needs exactly ${bytes}`;
}

function findHexFlaw(digits: string, bytes: number | null): string | null {
  const isHex = /^(?:[0-9a-fA-F]{2})*$/.test(digits) && (bytes === null || digits.length === 2 * bytes);
  const amount = bytes === null ? 'pairs of hexadecimal digits' : `${2 * bytes} hexadecimal digits (${bytes} bytes)`;
  return isHex ? null : `behind \`hex:\` it needs ${amount}`;
}

function findBase64Flaw(text: string, bytes: number | null): string | null {
  const [, characters = '', padding = ''] = /^([A-Za-z0-9+/]*|[A-Za-z0-9_-]*)(={0,2})$/.exec(text) ?? [];
  const amount = bytes === null ? 'Base64' : `${bytes} bytes in Base64`;
  const flaw = `behind \`base64:\` it needs ${amount}`;
  const length = characters.length;
  if (length + padding.length !== text.length || (text !== '' && length === 0)) return flaw;
  if (length % 4 === 1 || (padding !== '' && (length + padding.length) % 4 !== 0)) return flaw;
  const last = length % 4 === 0 ? LAST[0] : length % 4 === 2 ? LAST[4] : LAST[2];
  if (length > 0 && !last.test(characters)) return flaw;
  return bytes === null || length === countCharacters(bytes) ? null : flaw;
}

/** Checks the length of a variable against every notation; null when one may fit. */
export function findLengthFlaw(
  { length, bytes: actual }: Pick<EnvFact, 'length' | 'bytes'>,
  bytes: number,
): string | null {
  const base64 = countCharacters(bytes);
  const written = [HEX.length + 2 * bytes, BASE64.length + base64, BASE64.length + Math.ceil(bytes / 3) * 4];
  return actual === bytes || written.includes(length) ? null : `it has ${actual} bytes and needs exactly ${bytes}`;
}

/** A key must be no published sample, and have exactly its size. */
export const findCipherKeyFlaw = (key: string, bytes: number): string | null =>
  findKeyFlaw(key) ?? findBytesFlaw(key, bytes);
