/**
 * Tokens in answers: where one is, what it says of its owner, and whether it is still good. Pure functions; nothing is verified
 * and nothing is kept here.
 */

export interface FoundToken {
  /** Where it stood: `token`, `data.access_token`. */
  readonly path: string;
  readonly token: string;
}

export type Claims = Readonly<Record<string, unknown>>;

const NAMES = /^(?:.*[_-])?(?:token|jwt)$/i;
/** Shorter ones are no tokens, whatever they are called. */
const SHORTEST = 8;
const DEEPEST = 6;

/** In the order in which they stand; one of them twice only once. */
export function findTokens(json: unknown, path: readonly string[] = []): FoundToken[] {
  if (typeof json === 'string') {
    const named = NAMES.test(path.at(-1) ?? '') && json.length >= SHORTEST && !/\s/.test(json);
    return named || isToken(json) ? [{ path: path.join('.'), token: json }] : [];
  }
  if (typeof json !== 'object' || json === null || path.length >= DEEPEST) return [];
  const all = Object.entries(json).flatMap(([key, value]) => findTokens(value, [...path, key]));
  return all.filter(({ token }, i) => all.findIndex((other) => other.token === token) === i);
}

export const isToken = (text: string): boolean =>
  /^v[1-4]\.(?:local|public)\.[\w-]{16,}/.test(text) ||
  (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text) && typeof decoded(text.split('.')[0] ?? '')?.['alg'] === 'string');

/** Null for a token that is sealed, or none. */
export function claimsOf(token: string): Claims | null {
  const parts = token.split('.');
  if (/^v[1-4]\.public\./.test(token)) {
    // The signature stands behind the claims: 64 bytes, and 256 or 96 in the older versions.
    const bytes = Buffer.from(parts[2] ?? '', 'base64url');
    const end = bytes.lastIndexOf(0x7d);
    for (let at = end; at > 0; at = bytes.lastIndexOf(0x7d, at - 1)) {
      const claims = parsed(bytes.subarray(0, at + 1).toString('utf8'));
      if (claims !== null) return claims;
    }
    return null;
  }
  return parts.length === 3 ? decoded(parts[1] ?? '') : null;
}

const decoded = (part: string): Claims | null => parsed(Buffer.from(part, 'base64url').toString('utf8'));

function parsed(text: string): Claims | null {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Claims) : null;
  } catch {
    return null;
  }
}

/** Milliseconds since 1970; null where the token does not say. */
export function expiryOf(claims: Claims | null): number | null {
  const exp = claims?.['exp'];
  const time = typeof exp === 'number' ? exp * 1000 : typeof exp === 'string' ? Date.parse(exp) : NaN;
  return Number.isFinite(time) ? time : null;
}

/** What tells owners apart, for a list: `ada@example.com`, else the first claims. */
export function ownerOf(claims: Claims | null): string {
  if (claims === null) return '';
  const known = ['email', 'name', 'username', 'sub', 'id', 'uid'].find((name) => isPlain(claims[name]));
  if (known !== undefined) return String(claims[known]);
  const first = Object.entries(claims).find(([name, value]) => !/^(?:iat|exp|nbf|jti)$/.test(name) && isPlain(value));
  return first === undefined ? '' : `${first[0]} ${String(first[1])}`;
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
