/**
 * Tokens (HS256, valid for an hour) and webhook signatures of the client, with the keys that the servers get as
 * environment variables.
 */
import { createHmac } from 'node:crypto';

export const tokenKey = 'a key for the benchmark only, 32+';

/** The key of encrypted fields, 32 characters. */
export const fieldKey = 'a field key for benchmarks alone';

/** The shared secret of webhooks. */
export const hookKey = 'a secret for the benchmark only';

export const createSignature = (body: string): string => createHmac('sha256', hookKey).update(body).digest('hex');

const encodeJson = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signToken(claims: Readonly<Record<string, unknown>>, key = tokenKey): string {
  const now = Math.floor(Date.now() / 1000);
  const payload = { iat: now, exp: now + 3600, jti: `bench-${JSON.stringify(claims)}`, ...claims };
  const signed = `${encodeJson({ alg: 'HS256', typ: 'JWT' })}.${encodeJson(payload)}`;
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`;
}
