/** Tokens in responses, their claims and expiry. Verifies nothing. */

export interface FoundToken {
  /** Path in the response: `token`, `data.access_token`. */
  readonly path: string;
  readonly token: string;
}

export type Claims = Readonly<Record<string, unknown>>;

const NAMES = /^(?:.*[_-])?(?:token|jwt)$/i;
/** Shorter strings are not treated as tokens, whatever their name. */
const SHORTEST = 8;
const DEEPEST = 6;

/** In document order, without duplicates. */
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
  (/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text) && typeof decodePart(text.split('.')[0] ?? '')?.['alg'] === 'string');

/** Returns null for encrypted tokens and for text that is not a token. */
export function decodeClaims(token: string): Claims | null {
  const parts = token.split('.');
  if (/^v[1-4]\.public\./.test(token)) {
    // PASETO public: the signature follows the claims (64 bytes, or 256 or 96 in older versions).
    const bytes = Buffer.from(parts[2] ?? '', 'base64url');
    const end = bytes.lastIndexOf(0x7d);
    for (let at = end; at > 0; at = bytes.lastIndexOf(0x7d, at - 1)) {
      const claims = parseClaims(bytes.subarray(0, at + 1).toString('utf8'));
      if (claims !== null) return claims;
    }
    return null;
  }
  return parts.length === 3 ? decodePart(parts[1] ?? '') : null;
}

const decodePart = (part: string): Claims | null => parseClaims(Buffer.from(part, 'base64url').toString('utf8'));

function parseClaims(text: string): Claims | null {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as Claims) : null;
  } catch {
    return null;
  }
}

/** Unix time in milliseconds; null if the token has no valid `exp`. */
export function getExpiry(claims: Claims | null): number | null {
  const exp = claims?.['exp'];
  const time = typeof exp === 'number' ? exp * 1000 : typeof exp === 'string' ? Date.parse(exp) : NaN;
  return Number.isFinite(time) ? time : null;
}

/** A label for the token's owner: `ada@example.com`, otherwise the first usable claim. */
export function getOwnerLabel(claims: Claims | null): string {
  if (claims === null) return '';
  const known = ['email', 'name', 'username', 'sub', 'id', 'uid'].find((name) => isPlain(claims[name]));
  if (known !== undefined) return String(claims[known]);
  const first = Object.entries(claims).find(([name, value]) => !/^(?:iat|exp|nbf|jti)$/.test(name) && isPlain(value));
  return first === undefined ? '' : `${first[0]} ${String(first[1])}`;
}

const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';
