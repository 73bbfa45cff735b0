/**
 * Tokens from earlier responses, in the editor's secret storage. A token is sent only to its origin; pages receive
 * labels and claims.
 */
import { createHash } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import { decodeClaims, getExpiry, getOwnerLabel, type Claims } from './tokens.js';

/** What pages may see of a token. */
export interface KnownToken {
  readonly key: string;
  readonly label: string;
  readonly claims: Claims | null;
  /** Unix time in milliseconds. */
  readonly expires: number | null;
}

interface StoredToken {
  readonly token: string;
  /** The resource that returned the token. */
  readonly from: string;
}

export interface TokenStore {
  /** Newest first. */
  list(base: string): Promise<readonly KnownToken[]>;
  getToken(base: string, key: string): Promise<string | null>;
  add(base: string, tokens: readonly string[], from: string): Promise<void>;
  remove(base: string, key: string): Promise<void>;
}

/** Tokens per origin. */
const MOST = 8;

export function createTokenStore(secrets: SecretStorage): TokenStore {
  const toStorageKey = (base: string): string => `tokens ${toOrigin(base)}`;
  const read = async (base: string): Promise<readonly StoredToken[]> => {
    try {
      return JSON.parse((await secrets.get(toStorageKey(base))) ?? '[]') as readonly StoredToken[];
    } catch {
      return [];
    }
  };
  const write = (base: string, kept: readonly StoredToken[]): Thenable<void> =>
    kept.length === 0 ? secrets.delete(toStorageKey(base)) : secrets.store(toStorageKey(base), JSON.stringify(kept));
  return {
    list: async (base) => (await read(base)).map(toKnownToken),
    getToken: async (base, key) => (await read(base)).find(({ token }) => hashToken(token) === key)?.token ?? null,
    async add(base, tokens, from) {
      if (tokens.length === 0) return;
      const known = (await read(base)).filter(({ token }) => !tokens.includes(token));
      await write(base, [...tokens.map((token) => ({ token, from })), ...known].slice(0, MOST));
    },
    remove: async (base, key) =>
      write(
        base,
        (await read(base)).filter(({ token }) => hashToken(token) !== key),
      ),
  };
}

const toOrigin = (base: string): string => (URL.canParse(base) ? new URL(base).origin : base);

/** A hash, so the key does not reveal the token. */
const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16);

function toKnownToken({ token, from }: StoredToken): KnownToken {
  const claims = decodeClaims(token);
  const owner = getOwnerLabel(claims);
  return {
    key: hashToken(token),
    label: owner === '' ? `from ${from}` : `${owner}, from ${from}`,
    claims,
    expires: getExpiry(claims),
  };
}
