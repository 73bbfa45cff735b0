/**
 * Tokens created without the product: by the JWT library directly, or byte by byte where a library would reject them.
 */
import { createHmac } from 'node:crypto';
import { SignJWT } from 'jose';

export const KEY = 'k7Qd2mZx9vRt4LsB8nWc5yHf3jPg6aUe';
export const OTHER_KEY = 'Zp3Xw8Tn1Kb6Vy4Mr9Ls2Jd7Gh5Qc0Fa';

export const getSeconds = (offset = 0): number => Math.floor(Date.now() / 1000) + offset;

/** A valid token of the library. */
export const signJwt = (claims: Readonly<Record<string, unknown>>, key = KEY, alg = 'HS256'): Promise<string> =>
  new SignJWT({ iat: getSeconds(), exp: getSeconds(600), ...claims })
    .setProtectedHeader({ alg, typ: 'JWT' })
    .sign(new TextEncoder().encode(key));

export const encode = (part: unknown): string =>
  Buffer.from(typeof part === 'string' ? part : JSON.stringify(part)).toString('base64url');

export const sign = (input: string, key: string | Uint8Array = KEY, hash = 'sha256'): string =>
  createHmac(hash, key).update(input).digest('base64url');

/** The given header and payload (text stays text), signed correctly whatever they contain. */
export function forgeToken(header: unknown, payload: unknown, key: string | Uint8Array = KEY, hash = 'sha256'): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${sign(input, key, hash)}`;
}

export const HS256 = { alg: 'HS256', typ: 'JWT' };
export const createTokenClaims = (offset = 600): Record<string, unknown> => ({
  id: 'ada',
  iat: getSeconds(),
  exp: getSeconds(offset),
});

export const createBearerInit = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
