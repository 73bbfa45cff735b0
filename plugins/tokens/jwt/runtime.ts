/** JWTs: keys are made at load, instants are seconds since 1970. */
import { BootError } from '../../../kernel/contract/boot-error.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { token, type TokenTool } from '../../kinds/token.js';
import { fitting, payloadOf, type Instants } from '../shared/claims.js';
import { toolbox, verifier } from '../shared/toolbox.js';
import { DEFAULT_ALGORITHM } from './algorithms.light.js';
import { jwtKeys, type JwtKeys } from './keys.js';
import { openJwt, sealJwt } from './seal.js';

/** The last second of the year 9999: what is later counts something else, milliseconds most often. */
const LAST = 253_402_300_799;

const INSTANTS: Instants = {
  read: (value) => (typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= LAST ? value : null),
  write: (seconds) => seconds,
};

export default defineRuntime(token, {
  create: ({ log }) => ({
    create: toolbox((settings) => {
      const algorithm = settings.algorithm ?? DEFAULT_ALGORITHM;
      const keys = jwtKeys(algorithm, settings);
      const tool = (): TokenTool => {
        // Once for each key. Running services have such keys, so it is no reason to stop.
        if (keys.short !== null) {
          const fields = { place: settings.place, ...keys.short };
          log.warn(fields, `the key is shorter than ${algorithm} wants: it can be guessed from one token`);
        }
        return jwtTool(algorithm, keys);
      };
      return { id: keys.id, tool };
    }),
  }),
});

export function jwtTool(algorithm: string, keys: JwtKeys): TokenTool {
  const open = (text: string): Promise<string> => openJwt(text, algorithm, keys);
  return {
    realm: keys.realm,
    open,
    verify: verifier(open, INSTANTS),
    issue: async (claims, life) => {
      const { sign } = keys;
      // Refused at load already, where a resource gives out tokens.
      if (sign === null) throw new BootError('TOK_KEY', { place: 'a token', what: 'it is a public key' });
      return fitting(await sealJwt(payloadOf(claims, life, INSTANTS), algorithm, sign));
    },
  };
}
