/** Strict base64url without padding: each sequence of bytes has exactly one spelling. Node's own decoder takes anything. */
import { TokenRefused } from '../../kinds/token.js';

const ALPHABET = /^[A-Za-z0-9_-]+$/;

/** Throws TokenRefused for another alphabet, padding, an impossible length, or bits left over that are not zero. */
export function decodeBase64Url(text: string): Buffer {
  if (!ALPHABET.test(text)) throw new TokenRefused('a part is not base64url');
  const bytes = Buffer.from(text, 'base64url');
  if (bytes.toString('base64url') !== text) throw new TokenRefused('a part is not canonical base64url');
  return bytes;
}
