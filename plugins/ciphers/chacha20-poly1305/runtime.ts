/** ChaCha20-Poly1305 (RFC 8439) from the platform. */
import { defineRuntime } from '../../../contract/plugin.js';
import { cipher } from '../kind.js';
import { createNativeCipher } from '../shared/native.js';

export const chacha20Poly1305 = createNativeCipher('chacha20-poly1305');

export default defineRuntime(cipher, { create: () => chacha20Poly1305 });
