/** PASETO v4.local with one 32-byte key; instants are RFC 3339 text. */
import { createHash, createHmac } from 'node:crypto';
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { token, type TokenSettings, type TokenTool } from '../kind.js';
import { checkTokenSize, createPayload, type InstantFormat } from '../shared/claims.js';
import { createKeyRealm } from '../shared/realm.js';
import { createToolCache, createTokenVerifier } from '../shared/tool-cache.js';
import { BASE64, HEX, KEY_BYTES, findLocalKeyFlaw } from './key.light.js';
import { openLocal, sealLocal } from './local.js';

const RFC3339 = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

const INSTANTS: InstantFormat = {
  read(value) {
    if (typeof value !== 'string' || !RFC3339.test(value)) return null;
    const milliseconds = Date.parse(value);
    return milliseconds > 0 ? Math.floor(milliseconds / 1000) : null;
  },
  write: (seconds) => new Date(seconds * 1000).toISOString(),
};

export default defineRuntime(token, {
  create: () => ({
    create: createToolCache((settings) => {
      const key = parseKey(settings);
      return { id: createHash('sha256').update(key).digest('base64url'), tool: () => createPasetoTool(key) };
    }),
  }),
});

export function createPasetoTool(key: Uint8Array): TokenTool {
  const open = async (text: string): Promise<string> => (await openLocal(text, key)).text;
  return {
    realm: createKeyRealm(createHmac('sha256', key)),
    open,
    verify: createTokenVerifier(open, INSTANTS),
    issueToken: async (claims, life) => checkTokenSize(await sealLocal(createPayload(claims, life, INSTANTS), key)),
  };
}

/** Throws BootError TOK_KEY. */
function parseKey({ key, place }: TokenSettings): Buffer {
  const what =
    typeof key === 'string' ? findLocalKeyFlaw(key) : key.length === KEY_BYTES ? null : 'it needs exactly 32 bytes';
  if (what !== null) throw new BootError('TOK_KEY', { place, what });
  if (typeof key !== 'string') return Buffer.from(key);
  if (key.startsWith(HEX)) return Buffer.from(key.slice(HEX.length), 'hex');
  return key.startsWith(BASE64) ? Buffer.from(key.slice(BASE64.length), 'base64') : Buffer.from(key);
}
