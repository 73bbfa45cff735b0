/**
 * Opens and seals compact JWTs. Validates form, encoding and header; the library verifies the signature. The definition sets the
 * algorithm; the header's is only compared with it.
 */
import { compactVerify, CompactSign } from 'jose';
import { getOwn } from '../../../contract/json.js';
import { MAX_TOKEN, TokenRefused } from '../kind.js';
import { decodeBase64Url } from '../shared/base64url.js';
import { decodeText, readObject } from '../shared/strict-json.js';
import type { JwtKeys } from './keys.js';

/** Headers that change the meaning of a token and must not be ignored. */
const REFUSED_HEADERS = ['crit', 'b64', 'zip', 'cty', 'enc'] as const;

/** Returns the payload as text. Rejects with TokenRefused. */
export async function openJwt(token: string, algorithm: string, keys: JwtKeys): Promise<string> {
  if (token.length > MAX_TOKEN) throw new TokenRefused('too long');
  const parts = token.split('.');
  if (parts.length !== 3) throw new TokenRefused('not three parts');
  const [header, payload] = parts.map(decodeBase64Url);
  if (header === undefined || payload === undefined) throw new TokenRefused('not three parts');
  checkHeader(decodeText(header), algorithm);
  try {
    await compactVerify(token, await keys.verify(), { algorithms: [algorithm] });
  } catch {
    throw new TokenRefused('the signature does not fit');
  }
  return decodeText(payload);
}

/** `kid`, `jwk`, `jku`, `x5u` and `x5c` select keys and are ignored, because only the definition's key is used. */
function checkHeader(text: string, algorithm: string): void {
  const header = readObject(text);
  if (getOwn(header, 'alg') !== algorithm) throw new TokenRefused('another algorithm');
  const type = getOwn(header, 'typ');
  if (type !== undefined && (typeof type !== 'string' || type.toUpperCase() !== 'JWT')) {
    throw new TokenRefused('another type');
  }
  for (const name of REFUSED_HEADERS) {
    if (Object.hasOwn(header, name)) throw new TokenRefused(`the header has ${name}`);
  }
}

const UTF8 = new TextEncoder();

export async function sealJwt(payload: string, algorithm: string, sign: NonNullable<JwtKeys['sign']>): Promise<string> {
  const jws = new CompactSign(UTF8.encode(payload)).setProtectedHeader({ alg: algorithm, typ: 'JWT' });
  return jws.sign(await sign());
}
