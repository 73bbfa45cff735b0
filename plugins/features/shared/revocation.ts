/**
 * Revoked tokens in the cache store: the key under which one is remembered, and the question whether it is. Which tokens may be
 * revoked by whom is the business of the feature `invalidate_tokenize`; asking is that of `protected`.
 */
import { createHash } from 'node:crypto';
import { own } from '../../../kernel/contract/json.js';
import type { Kind } from '../../../kernel/contract/kind.js';
import type { Cache } from '../../kinds/cache.js';
import { feature, type Feature } from '../../kinds/feature.js';
import type { Verified } from '../../kinds/token.js';

export type IsRevoked = (verified: Verified) => boolean | Promise<boolean>;

/** The feature that revokes, as `protected` knows it. */
export interface Revoker extends Feature {
  readonly isRevoked: IsRevoked;
}
export const revoker = feature as unknown as Kind<Revoker>;

/** Tokens are judged for so long after their end, for clocks differ. */
const LEEWAY = 30;

/** Remembered tokens are asked about again and again. */
const keys = new WeakMap<Verified, string>();

/**
 * `jti` names a token, among those of one issuer. One without it is known by its claims: its text may have more than one
 * spelling, for some signatures can be changed into others that fit.
 */
function keyOf(verified: Verified): string {
  const known = keys.get(verified);
  if (known !== undefined) return known;
  const { claims } = verified;
  const id = own(claims, 'jti');
  const named = typeof id === 'string' || typeof id === 'number';
  const text = JSON.stringify(named ? ['jti', own(claims, 'iss') ?? null, id] : ['claims', claims]);
  const key = `revoked:${createHash('sha256').update(text).digest('base64url')}`;
  keys.set(verified, key);
  return key;
}

export const isRevokedIn =
  (store: Cache): IsRevoked =>
  (verified) =>
    store.isMarked(keyOf(verified));

/** Remembered for as long as it would be taken, and for `least` seconds. */
export function markOf(
  verified: Verified,
  now: number,
  least: number,
): { readonly key: string; readonly seconds: number } {
  const left = Math.ceil(verified.expiresAt + LEEWAY - now / 1000);
  return { key: keyOf(verified), seconds: Math.max(1, left, least) };
}
