/** AES-256-GCM as the platform has it. */
import { createSecretKey } from 'node:crypto';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { cipher, type Cipher } from '../../kinds/cipher.js';
import { openNative, sealNative } from '../shared/native.js';
import { assertKey, sized } from '../shared/sized.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

export const aes256Gcm: Cipher = {
  keyBytes: KEY_BYTES,
  nonceBytes: NONCE_BYTES,
  key: (bytes) => {
    assertKey(bytes, KEY_BYTES);
    const key = createSecretKey(bytes);
    return sized(NONCE_BYTES, {
      seal: (nonce, plain, aad) => sealNative('aes-256-gcm', key, nonce, plain, aad),
      open: (nonce, sealed, aad) => openNative('aes-256-gcm', key, nonce, sealed, aad),
    });
  },
};

export default defineRuntime(cipher, { create: () => aes256Gcm });
