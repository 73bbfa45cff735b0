/** AES-256-GCM from the platform. */
import { defineRuntime } from '../../../contract/plugin.js';
import { cipher } from '../kind.js';
import { createNativeCipher } from '../shared/native.js';

export const aes256Gcm = createNativeCipher('aes-256-gcm');

export default defineRuntime(cipher, { create: () => aes256Gcm });
