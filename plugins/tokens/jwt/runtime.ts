/** JWT tools: keys are created at load, instants are seconds since 1970. */
import { BootError } from '../../../contract/boot-error.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { token, type TokenTool } from '../kind.js';
import { checkTokenSize, createPayload, type InstantFormat } from '../shared/claims.js';
import { createToolCache, createTokenVerifier } from '../shared/tool-cache.js';
import { DEFAULT_ALGORITHM } from './algorithms.light.js';
import { createJwtKeys, type JwtKeys } from './keys.js';
import { openJwt, sealJwt } from './seal.js';

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
