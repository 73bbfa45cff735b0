/** Decodes a text that `findBytesFlaw` accepted. */
import { BASE64, HEX } from './bytes.light.js';

export function decodeBytes(text: string): Buffer {
  if (text.startsWith(HEX)) return Buffer.from(text.slice(HEX.length), 'hex');
  return text.startsWith(BASE64) ? Buffer.from(text.slice(BASE64.length), 'base64') : Buffer.from(text);
}
