/** Validates the time claims of a token, and writes those of a new one. Formats differ only in their notation. */
import { deepFreeze, getOwn } from '../../../contract/json.js';
import { createFault } from '../../../contract/fault.js';
import { MAX_TOKEN, TokenRefused, type TokenLife, type VerifiedToken } from '../kind.js';
import { readObject } from './strict-json.js';

/** Tolerated clock difference in seconds. */
const LEEWAY = 30;

export interface InstantFormat {
  /** Seconds since 1970; null for an invalid instant. */
  read(value: unknown): number | null;
  write(seconds: number): string | number;
}

/** Throws TokenRefused for an invalid instant, and outside its time. */
export function validateClaims(text: string, instants: InstantFormat, now: number): VerifiedToken {
  const claims = readObject(text);
  const readInstant = (name: string): number | null => {
    const value = getOwn(claims, name);
    if (value === undefined) return null;
    const seconds = instants.read(value);
    if (seconds === null) throw new TokenRefused(`${name} is no instant`);
    return seconds;
  };
  const expiresAt = readInstant('exp');
  if (expiresAt === null) throw new TokenRefused('exp is missing');
  const validFrom = Math.max(readInstant('nbf') ?? 0, readInstant('iat') ?? 0);
  const verified: VerifiedToken = Object.freeze({ claims: deepFreeze(claims), expiresAt, validFrom });
  assertCurrent(verified, now);
  return verified;
}

export function assertCurrent({ expiresAt, validFrom }: VerifiedToken, now: number): void {
  const seconds = Math.floor(now / 1000);
  if (seconds >= expiresAt + LEEWAY) throw new TokenRefused('expired');
  if (seconds < validFrom - LEEWAY) throw new TokenRefused('not valid yet');
}

/** The payload of a new token; result fields named `exp` or `jti` are overwritten. */
export function createPayload(
  claims: Readonly<Record<string, unknown>>,
  { now, seconds, id }: TokenLife,
  instants: InstantFormat,
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
    throw createFault('TOK_UNFIT', {}, { cause: error });
  }
  return text;
}

/** Throws for a token that verification would reject. */
export function checkTokenSize(token: string): string {
  if (token.length > MAX_TOKEN) throw createFault('TOK_UNFIT');
  return token;
}
