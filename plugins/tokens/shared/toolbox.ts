/**
 * Makes the tool of one key and algorithm, once: verified tokens are remembered with it, so resources that share a key
 * share the memory, and a new key starts with none.
 */
import { LRUCache } from 'lru-cache';
import { MAX_TOKEN, TokenRefused, type TokenSettings, type TokenTool, type Verified } from '../../kinds/token.js';
import { assertCurrent, judgeClaims, type Instants } from './claims.js';

const MAX_REMEMBERED = 10_000;
/** Characters of all remembered tokens; their claims are about as large again. */
const MAX_CHARACTERS = 8_388_608;

type Open = TokenTool['open'];

/**
 * Only what was verified is remembered. A remembered token is measured by the clock at each use; whether it was revoked is asked
 * at each use too, by the guard.
 */
export function verifier(open: Open, instants: Instants): TokenTool['verify'] {
  const known = new LRUCache<string, Verified>({
    max: MAX_REMEMBERED,
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (_verified, token) => token.length,
  });
  const judge = (token: string, text: string, now: number): Verified => {
    const verified = judgeClaims(text, instants, now);
    known.set(token, verified);
    return verified;
  };
  return (token, now) => {
    const seen = known.get(token);
    if (seen !== undefined) {
      assertCurrent(seen, now);
      return seen;
    }
    if (token.length > MAX_TOKEN) throw new TokenRefused('too long');
    const opened = open(token);
    return typeof opened === 'string' ? judge(token, opened, now) : opened.then((text) => judge(token, text, now));
  };
}

/** One tool for each key and algorithm; `make` also judges the key, so it is asked for every place. */
export function toolbox(make: (settings: TokenSettings) => { id: string; tool: () => TokenTool }) {
  const tools = new Map<string, TokenTool>();
  return (settings: TokenSettings): TokenTool => {
    const { id, tool } = make(settings);
    const known = tools.get(id) ?? tool();
    tools.set(id, known);
    return known;
  };
}
