/** Encodings of the platform. Its decoders ignore invalid characters, so the result is compared. */
import type { Encoding } from '../kind.js';

export const createPlatformEncoding = (name: 'base64' | 'base64url' | 'hex'): Encoding => ({
  most: null,
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(name),
  decode: (text) => {
    const bytes = Buffer.from(text, name);
    return bytes.toString(name) === text ? bytes : null;
  },
});
