/** JWT tools: keys are created at load, instants are seconds since 1970. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { token, type TokenTool, MAX_TOKEN, TokenRefused } from '../kind.js';
import { checkTokenSize, createPayload, type InstantFormat } from '../shared/claims.js';
import { createToolCache, createTokenVerifier } from '../shared/tool-cache.js';
import { DEFAULT_ALGORITHM } from './algorithms.light.js';
import { createJwtKeys, type JwtKeys } from './keys.js';
import { decodeText, readObject } from '../shared/strict-json.js';
import { compactVerify, CompactSign } from 'jose';
import { getOwn } from '../../../contract/json.js';

/** The last second of the year 9999; larger numbers are probably milliseconds. */
const LAST = 253_402_300_799;

const INSTANTS: InstantFormat = {
  read: (value) => (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= LAST ? value : null),
  write: (seconds) => seconds,
};

export default defineRuntime(token, {
  create: ({ log }) => ({
    create: createToolCache((settings) => {
      const algorithm = settings.algorithm ?? DEFAULT_ALGORITHM;
      const keys = createJwtKeys(algorithm, settings);
      const createTool = (): TokenTool => {
        // Logged once per key, and no startup error because running services use such keys.
        if (keys.short !== null) {
          const fields = { place: settings.place, ...keys.short };
          log.warn(fields, `token key is too short for ${algorithm}: it can be guessed from one token`);
        }
        return createJwtTool(algorithm, keys);
      };
      return { id: keys.id, tool: createTool };
    }),
  }),
});

export function createJwtTool(algorithm: string, keys: JwtKeys): TokenTool {
  const open = (text: string): Promise<string> => openJwt(text, algorithm, keys);
  return {
    realm: keys.realm,
    open,
    verify: createTokenVerifier(open, INSTANTS),
    issueToken: async (claims, life) => {
      const { sign } = keys;
      // Resources that issue tokens are already rejected at load.
      if (sign === null) throw new BootError('TOK_KEY', { place: 'a token', what: 'it is a public key' });
      return checkTokenSize(await sealJwt(createPayload(claims, life, INSTANTS), algorithm, sign));
    },
  };
}

/** Headers that change the meaning of a token and must not be ignored. */
const REFUSED_HEADERS = ['crit', 'b64', 'zip', 'cty', 'enc'] as const;

/** Returns the payload as text. Rejects with TokenRefused. */
export async function openJwt(token: string, algorithm: string, keys: JwtKeys): Promise<string> {
  if (token.length > MAX_TOKEN) throw new TokenRefused('too long');
  const parts = token.split('.');
  if (parts.length !== 3) throw new TokenRefused('not three parts');
  const [header, payload] = parts.map(decodeBase64Url);
  if (header === undefined || payload === undefined) throw new TokenRefused('not three parts');
  checkHeader(decodeText(header), algorithm);
  try {
    await compactVerify(token, await keys.verify(), { algorithms: [algorithm] });
  } catch {
    throw new TokenRefused('the signature does not fit');
  }
  return decodeText(payload);
}

/** `kid`, `jwk`, `jku`, `x5u` and `x5c` are ignored: only the definition's key is used. */
function checkHeader(text: string, algorithm: string): void {
  const header = readObject(text);
  if (getOwn(header, 'alg') !== algorithm) throw new TokenRefused('another algorithm');
  const type = getOwn(header, 'typ');
  if (type !== undefined && (typeof type !== 'string' || type.toUpperCase() !== 'JWT')) {
    throw new TokenRefused('another type');
  }
  for (const name of REFUSED_HEADERS) {
    if (Object.hasOwn(header, name)) throw new TokenRefused(`the header has ${name}`);
  }
}

const UTF8 = new TextEncoder();

export async function sealJwt(payload: string, algorithm: string, sign: NonNullable<JwtKeys['sign']>): Promise<string> {
  const jws = new CompactSign(UTF8.encode(payload)).setProtectedHeader({ alg: algorithm, typ: 'JWT' });
  return jws.sign(await sign());
}

/** Throws TokenRefused for empty text, another alphabet, padding, an impossible length, or nonzero unused bits. */
function decodeBase64Url(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  if (text === '' || bytes.toString('base64url') !== text) throw new TokenRefused('a part is not canonical base64url');
  return bytes;
}
