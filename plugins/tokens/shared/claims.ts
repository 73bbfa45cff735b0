/**
 * Validates the time claims of an opened token, and writes the claims of a new one. Formats differ only in their notation of
 * instants. Must not verify signatures.
 */
import { deepFreeze, own } from '../../../contract/json.js';
import { fault } from '../../../contract/fault.js';
import { MAX_TOKEN, TokenRefused, type TokenLife, type Verified } from '../kind.js';
import { readObject } from './strict-json.js';

/** Tolerated clock difference in seconds. */
const LEEWAY = 30;

export interface Instants {
  /** Seconds since 1970; null for an invalid instant. */
  read(value: unknown): number | null;
  write(seconds: number): string | number;
}

/** Throws TokenRefused for an invalid instant, and for a token that is expired or not yet valid. */
export function judgeClaims(text: string, instants: Instants, now: number): Verified {
  const claims = readObject(text);
  const instant = (name: string): number | null => {
    const value = own(claims, name);
    if (value === undefined) return null;
    const seconds = instants.read(value);
    if (seconds === null) throw new TokenRefused(`${name} is no instant`);
    return seconds;
  };
  const expiresAt = instant('exp');
  if (expiresAt === null) throw new TokenRefused('exp is missing');
  const validFrom = Math.max(instant('nbf') ?? 0, instant('iat') ?? 0);
  const verified: Verified = Object.freeze({ claims: deepFreeze(claims), expiresAt, validFrom });
  assertCurrent(verified, now);
  return verified;
}

export function assertCurrent({ expiresAt, validFrom }: Verified, now: number): void {
  const seconds = Math.floor(now / 1000);
  if (seconds >= expiresAt + LEEWAY) throw new TokenRefused('expired');
  if (seconds < validFrom - LEEWAY) throw new TokenRefused('not valid yet');
}

/** The payload of a new token; result fields named `exp` or `jti` are overwritten. */
export function payloadOf(
  claims: Readonly<Record<string, unknown>>,
  { now, seconds, id }: TokenLife,
  instants: Instants,
): string {
  const issuedAt = Math.floor(now / 1000);
  const text = JSON.stringify({
    ...claims,
    iat: instants.write(issuedAt),
    exp: instants.write(issuedAt + seconds),
    jti: id,
  });
  try {
    readObject(text);
  } catch (error) {
    throw fault('TOK_UNFIT', {}, { cause: error });
  }
  return text;
}

/** Throws for a token that verification would reject. */
export function fitting(token: string): string {
  if (token.length > MAX_TOKEN) throw fault('TOK_UNFIT');
  return token;
}
