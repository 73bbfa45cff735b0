/**
 * Revoked tokens in the cache store. `invalidate_tokenize` decides which may be revoked; `protected` looks them up.
 */
import { createHash } from 'node:crypto';
import { getOwn } from '../../../contract/json.js';
import type { Kind } from '../../../contract/kind.js';
import type { Cache } from '../../caches/kind.js';
import { feature, type Feature } from '../kind.js';
import type { VerifiedToken } from '../../tokens/kind.js';

export type IsRevoked = (verified: VerifiedToken) => boolean | Promise<boolean>;

/** The revoking feature as seen by `protected`. */
export interface Revoker extends Feature {
  readonly isRevoked: IsRevoked;
}
export const revoker: Kind<Revoker> = feature;

/** Seconds of tolerance after the expiry of a token, because clocks differ. */
const LEEWAY = 30;

/** Keys of cached tokens, which are looked up at every request. */
const keys = new WeakMap<VerifiedToken, string>();

/**
 * `jti` identifies a token per issuer. Without it, its claims do, because some signatures can be altered and stay
 * valid.
 */
function getRevocationKey(verified: VerifiedToken): string {
  const known = keys.get(verified);
  if (known !== undefined) return known;
  const { claims } = verified;
  const id = getOwn(claims, 'jti');
  const named = typeof id === 'string' || typeof id === 'number';
  const text = JSON.stringify(named ? ['jti', getOwn(claims, 'iss') ?? null, id] : ['claims', claims]);
  const key = `revoked:${createHash('sha256').update(text).digest('base64url')}`;
  keys.set(verified, key);
  return key;
}

export const createRevocationCheck =
  (store: Cache): IsRevoked =>
  (verified) =>
    store.hasFlag(getRevocationKey(verified));

/** The mark lasts until the token expires, and at least `least` seconds. */
export function createRevocationFlag(
  verified: VerifiedToken,
  now: number,
  least: number,
): { readonly key: string; readonly seconds: number } {
  const left = Math.ceil(verified.expiresAt + LEEWAY - now / 1000);
  return { key: getRevocationKey(verified), seconds: Math.max(1, left, least) };
}
