/**
 * Keeps tokens from earlier responses in the editor's secret storage. A token is sent only to the origin it came from; pages
 * receive labels and claims, and nothing is logged.
 */
import { createHash } from 'node:crypto';
import type { SecretStorage } from 'vscode';
import { claimsOf, expiryOf, ownerOf, type Claims } from './tokens.js';

/** What pages may see of a token. */
export interface KnownToken {
  readonly key: string;
  readonly label: string;
  readonly claims: Claims | null;
  /** Unix time in milliseconds. */
  readonly expires: number | null;
}

interface Kept {
  readonly token: string;
  /** The resource that returned the token. */
  readonly from: string;
}

export interface TokenStore {
  /** Newest first. */
  list(base: string): Promise<readonly KnownToken[]>;
  tokenOf(base: string, key: string): Promise<string | null>;
  remember(base: string, tokens: readonly string[], from: string): Promise<void>;
  forget(base: string, key: string): Promise<void>;
}

/** Tokens per origin. */
const MOST = 8;

export function createTokenStore(secrets: SecretStorage): TokenStore {
  const place = (base: string): string => `tokens ${originOf(base)}`;
  const read = async (base: string): Promise<readonly Kept[]> => {
    try {
      return JSON.parse((await secrets.get(place(base))) ?? '[]') as readonly Kept[];
    } catch {
      return [];
    }
  };
  const write = (base: string, kept: readonly Kept[]): Thenable<void> =>
    kept.length === 0 ? secrets.delete(place(base)) : secrets.store(place(base), JSON.stringify(kept));
  return {
    list: async (base) => (await read(base)).map(described),
    tokenOf: async (base, key) => (await read(base)).find(({ token }) => keyOf(token) === key)?.token ?? null,
    async remember(base, tokens, from) {
      if (tokens.length === 0) return;
      const known = (await read(base)).filter(({ token }) => !tokens.includes(token));
      await write(base, [...tokens.map((token) => ({ token, from })), ...known].slice(0, MOST));
    },
    forget: async (base, key) =>
      write(
        base,
        (await read(base)).filter(({ token }) => keyOf(token) !== key),
      ),
  };
}

const originOf = (base: string): string => (URL.canParse(base) ? new URL(base).origin : base);

/** A hash, so the key does not reveal the token. */
const keyOf = (token: string): string => createHash('sha256').update(token).digest('hex').slice(0, 16);

function described({ token, from }: Kept): KnownToken {
  const claims = claimsOf(token);
  const owner = ownerOf(claims);
  return {
    key: keyOf(token),
    label: owner === '' ? `from ${from}` : `${owner}, from ${from}`,
    claims,
    expires: expiryOf(claims),
  };
}
