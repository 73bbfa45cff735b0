/** `@scure/base` throws for text that it would not have written. */
import type { Encoding } from '../kind.js';

interface Coder {
  encode(bytes: Uint8Array): string;
  decode(text: string): Uint8Array;
}

/** Text longer than that of `most` bytes is not decoded. */
export function createPackageEncoding(coder: Coder, most: number | null = null): Encoding {
  const longest = most === null ? Infinity : coder.encode(new Uint8Array(most).fill(0xff)).length;
  return {
    most,
    encode: (bytes) => {
      if (most !== null && bytes.length > most) throw new RangeError(`${bytes.length} bytes, more than ${most}`);
      return coder.encode(bytes);
    },
    decode: (text) => {
      if (text.length > longest) return null;
      try {
        return coder.decode(text);
      } catch {
        return null;
      }
    },
  };
}
