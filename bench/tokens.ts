/**
 * Tokens and signatures as a client of both services carries them: HS256, an hour from now. Signed here, with the key that both
 * services get through their environment, so that neither signs its own.
 */
import { createHmac } from 'node:crypto';

export const tokenKey = 'a key for the benchmark only, 32+';

/** 32 characters: the key of encrypted fields. */
export const fieldKey = 'a field key for benchmarks alone';

/** What the sender of webhooks and both services know. */
export const hookKey = 'a secret for the benchmark only';

export const createSignature = (body: string): string => createHmac('sha256', hookKey).update(body).digest('hex');

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signToken(claims: Readonly<Record<string, unknown>>, key = tokenKey): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iat: now, exp: now + 3600, jti: `bench-${JSON.stringify(claims)}`, ...claims };
  const signed = `${encodeJson({ alg: 'HS256', typ: 'JWT' })}.${encodeJson(payload)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}
