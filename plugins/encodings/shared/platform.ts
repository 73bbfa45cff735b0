/**
 * Encodings that the platform has. Its decoders skip what they do not know: bytes count only when they are spelt exactly
 * as the text was.
 */
import type { Encoding } from '../../kinds/encoding.js';

export const platform = (name: 'base64' | 'base64url' | 'hex'): Encoding => ({
  most: null,
  encode: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString(name),
  decode: (text) => {
    const bytes = Buffer.from(text, name);
    return bytes.toString(name) === text ? bytes : null;
  },
});
