/** Addresses that end: what they say is signed with a key that never leaves the folder. */
import { createHmac, timingSafeEqual } from 'node:crypto';

const digest = (secret: Buffer, key: string, expires: number): Buffer =>
  createHmac('sha256', secret).update(`${expires}\n${key}`).digest();

export const signedQuery = (secret: Buffer, key: string, expires: number): string =>
  `expires=${expires}&signature=${digest(secret, key, expires).toString('base64url')}`;

/** Seconds that are left; null when the query is not exactly one that was given out, or is over. */
export function secondsLeft(secret: Buffer, key: string, query: string, now: number): number | null {
  const [, text = '', signature = ''] = /^expires=([1-9]\d{0,11})&signature=([A-Za-z0-9_-]{43})$/.exec(query) ?? [];
  const expires = Number(text);
  const wanted = digest(secret, key, expires);
  const given = Buffer.from(signature, 'base64url');
  // One spelling of a signature: the last character of base64url has bits that nobody reads.
  if (given.length !== wanted.length || given.toString('base64url') !== signature) return null;
  if (!timingSafeEqual(given, wanted)) return null;
  const left = expires - Math.floor(now / 1000);
  return left > 0 ? left : null;
}
