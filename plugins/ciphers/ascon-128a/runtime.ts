/** Implemented here: the platform lacks Ascon-128a (v1.2), and packages of that name moved to another algorithm. */
import { defineRuntime } from '../../../contract/plugin.js';
import { cipher, type Cipher } from '../kind.js';
import { assertKey, enforceSizes } from '../shared/enforce-sizes.js';
import { toAsconKey, openAscon, sealAscon } from './ascon.js';

const KEY_BYTES = 16;
const NONCE_BYTES = 16;

export const ascon128a: Cipher = {
  keyBytes: KEY_BYTES,
  nonceBytes: NONCE_BYTES,
  key: (bytes) => {
    assertKey(bytes, KEY_BYTES);
    const key = toAsconKey(bytes);
    return enforceSizes(NONCE_BYTES, {
      seal: (nonce, plain, aad) => sealAscon(key, nonce, plain, aad),
      open: (nonce, sealed, aad) => openAscon(key, nonce, sealed, aad),
    });
  },
};

export default defineRuntime(cipher, { create: () => ascon128a });
