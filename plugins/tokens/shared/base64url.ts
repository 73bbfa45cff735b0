/** Strict base64url without padding: each sequence of bytes has exactly one spelling. Node's own decoder takes anything. */
import { TokenRefused } from '../../kinds/token.js';

/** Throws TokenRefused for nothing, another alphabet, padding, an impossible length, or bits left over that are not zero. */
export function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (text === '' || bytes.toString('base64url') !== text) throw new TokenRefused('a part is not canonical base64url');
  return bytes;
}
