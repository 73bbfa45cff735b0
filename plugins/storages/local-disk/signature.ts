/** Signs URLs with an expiry, by a key that never leaves the folder. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const computeDigest = (secret: Buffer, key: string, expires: number): Buffer =>
  createHmac('sha256', secret).update(`${expires}\n${key}`).digest();

export const createSignedQuery = (secret: Buffer, key: string, expires: number): string =>
  `expires=${expires}&signature=${computeDigest(secret, key, expires).toString('base64url')}`;

/** Null when the query is expired or not issued by this server. */
export function getSecondsLeft(secret: Buffer, key: string, query: string, now: number): number | null {
  const [, text = '', signature = ''] = /^expires=([1-9]\d{0,11})&signature=([A-Za-z0-9_-]{43})$/.exec(query) ?? [];
  const expires = Number(text);
  const wanted = computeDigest(secret, key, expires);
  const given = Buffer.from(signature, 'base64url');
  // The last character of base64url has unused bits.
  if (given.length !== wanted.length || given.toString('base64url') !== signature) return null;
  if (!timingSafeEqual(given, wanted)) return null;
  const left = expires - Math.floor(now / 1000);
  return left > 0 ? left : null;
}
