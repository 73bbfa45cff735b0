/** The conformance operations of bcrypt, through the plugin's own code: bytes in, a hash or an answer out. */
import { hashBytes, verifyBytes } from '../../plugins/hashers/bcrypt/bcrypt.js';
import { bytesOf, textOf, type Ops } from './ops.js';
import { freshSalt } from '../../plugins/hashers/shared/salt.js';

export const ops: Ops = {
  'bcrypt.verify': async (input) => ({
    ok: await verifyBytes(bytesOf(input, 'password'), textOf(input, 'hash')),
  }),
  'bcrypt.hash': async (input) => {
    try {
      return { ok: true, out: await hashBytes(bytesOf(input, 'password'), Number(input['cost']), freshSalt('')) };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : 'refused' };
    }
  },
};
