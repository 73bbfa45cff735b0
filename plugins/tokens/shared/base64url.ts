/** Strict unpadded base64url: each byte sequence has exactly one spelling. Node's decoder accepts any text. */
import { TokenRefused } from '../kind.js';

/** Throws TokenRefused for empty text, another alphabet, padding, an impossible length, or nonzero unused bits. */
export function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (text === '' || bytes.toString('base64url') !== text) throw new TokenRefused('a part is not canonical base64url');
  return bytes;
}
