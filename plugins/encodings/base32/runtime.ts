/** Base32 (RFC 4648): upper case, padded. Unused bits must be zero. */
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';

const ALPHABET = Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');
const PAD = 0x3d;
const NONE = 0xff;
const VALUES = new Uint8Array(256).fill(NONE);
ALPHABET.forEach((code, value) => (VALUES[code] = value));
/** Valid numbers of characters in the last group before the padding. */
const REST: ReadonlySet<number> = new Set([0, 2, 4, 5, 7]);

export const base32: Encoding = { most: null, encode, decode };

function encode(bytes: Uint8Array): string {
  const out = Buffer.alloc(Math.ceil(bytes.length / 5) * 8, PAD);
  let [bits, held, at] = [0, 0, 0];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    for (held += 8; held >= 5; held -= 5) out[at++] = ALPHABET[(bits >> (held - 5)) & 31] ?? 0;
  }
  if (held > 0) out[at] = ALPHABET[(bits << (5 - held)) & 31] ?? 0;
  return out.toString('latin1');
}

function decode(text: string): Uint8Array | null {
  if (text.length % 8 !== 0) return null;
  let length = text.length;
  while (length > 0 && text.charCodeAt(length - 1) === PAD) length--;
  if (text.length - length >= 8 || !REST.has(length % 8)) return null;
  const out = Buffer.allocUnsafe(Math.floor((length * 5) / 8));
  let [bits, held, at] = [0, 0, 0];
  for (let i = 0; i < length; i++) {
    const value = VALUES[text.charCodeAt(i)] ?? NONE;
    if (value === NONE) return null;
    bits = ((bits << 5) | value) & 0xfff;
    held += 5;
    if (held < 8) continue;
    held -= 8;
    out[at++] = (bits >> held) & 0xff;
  }
  return (bits & ((1 << held) - 1)) === 0 ? out : null;
}

export default defineRuntime(encoding, { create: () => base32 });
