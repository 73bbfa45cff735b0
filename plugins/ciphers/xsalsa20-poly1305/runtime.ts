/**
 * NaCl's secretbox, tag first. It supports no additional data, so with some the key is HMAC-SHA-256(key, label,
 * data).
 */
import { createHmac } from 'node:crypto';
import { xsalsa20poly1305 as secretbox } from '@noble/ciphers/salsa.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { cipher, type Cipher } from '../kind.js';
import { assertKey, enforceSizes } from '../shared/enforce-sizes.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 24;
const LABEL = 'XSalsa20Poly1305 key for additional data\0';

export const xsalsa20Poly1305: Cipher = {
  keyBytes: KEY_BYTES,
  nonceBytes: NONCE_BYTES,
  key: (bytes) => {
    assertKey(bytes, KEY_BYTES);
    const plainKey = Uint8Array.from(bytes);
    let last: { readonly aad: Uint8Array; readonly key: Uint8Array } | null = null;
    const keyFor = (aad: Uint8Array): Uint8Array => {
      if (aad.length === 0) return plainKey;
      // Constant additional data is the same object at each call.
      if (last?.aad === aad) return last.key;
      const key = createHmac('sha256', plainKey).update(LABEL).update(aad).digest();
      last = { aad, key };
      return key;
    };
    return enforceSizes(NONCE_BYTES, {
      seal: (nonce, plain, aad) => secretbox(keyFor(aad), nonce).encrypt(plain),
      open: (nonce, sealed, aad) => {
        try {
          return secretbox(keyFor(aad), nonce).decrypt(sealed);
        } catch {
          return null;
        }
      },
    });
  },
};

export default defineRuntime(cipher, { create: () => xsalsa20Poly1305 });
