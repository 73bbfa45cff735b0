/** The conformance operations of bcrypt, through the plugin's own code: bytes in, a hash or a result out. */
import { hashBytes, verifyBytes } from '../../plugins/hashers/bcrypt/runtime.js';
import { readHexInput, readTextInput, type Ops } from './ops.js';
import { createSalt } from '../../plugins/hashers/shared/salt.js';

export const ops: Ops = {
  'bcrypt.verify': async (input) => ({
    ok: await verifyBytes(readHexInput(input, 'password'), readTextInput(input, 'hash')),
  }),
  'bcrypt.hash': async (input) => {
    try {
      return { ok: true, out: await hashBytes(readHexInput(input, 'password'), Number(input['cost']), createSalt('')) };
    } catch (error) {
      return { ok: false, error: error instanceof Error ? error.message : 'refused' };
    }
  },
};
