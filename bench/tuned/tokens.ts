/** Verifies tokens (HS256) and webhook signatures synchronously, with comparisons in constant time. */
import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto';
import { Refusal } from './refusal.js';

export interface Claims {
  readonly id?: unknown;
  readonly exp?: unknown;
  readonly nbf?: unknown;
}

const tokenKey = createSecretKey(Buffer.from(process.env.BENCH_TOKEN_KEY ?? '', 'utf8'));
const hookKey = createSecretKey(Buffer.from(process.env.BENCH_HOOK_KEY ?? '', 'utf8'));

const parsePart = (part: string): unknown => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));

const refuse = (): never => {
  throw new Refusal(401, 'the token is not valid');
};

function isEqual(given: Buffer, expected: Buffer): boolean {
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** Returns the claims of a token with a valid signature, otherwise throws. `checkTimes` checks its times. */
export function verifyToken(token: string): Claims {
  const [head = '', payload = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || signature === '') return refuse();
  const expected = createHmac('sha256', tokenKey).update(`${head}.${payload}`).digest();
  if (!isEqual(Buffer.from(signature, 'base64url'), expected)) return refuse();
  try {
    const { alg, crit } = parsePart(head) as { readonly alg?: unknown; readonly crit?: unknown };
    const claims = parsePart(payload);
    if (alg !== 'HS256' || crit !== undefined || typeof claims !== 'object' || claims === null) return refuse();
    return claims;
  } catch {
    return refuse();
  }
}

export function checkTimes(claims: Claims): Claims {
  const now = Date.now() / 1000;
  const { exp, nbf } = claims;
  if (exp !== undefined && !(typeof exp === 'number' && exp > now)) return refuse();
  if (nbf !== undefined && !(typeof nbf === 'number' && nbf <= now)) return refuse();
  return claims;
}

export function readBearer(authorization: string | undefined): string {
  return authorization !== undefined && /^Bearer /i.test(authorization) ? authorization.slice(7) : '';
}

/** The signature covers the bytes that were received. */
export function verifyHook(body: Buffer, signature: unknown): void {
  const expected = Buffer.from(`sha256=${createHmac('sha256', hookKey).update(body).digest('hex')}`);
  if (typeof signature !== 'string' || !isEqual(Buffer.from(signature), expected)) {
    throw new Refusal(401, 'not verified');
  }
}
