/** AES-256-GCM from the platform. */
import { defineRuntime } from '../../../contract/plugin.js';
import { cipher } from '../kind.js';
import { nativeCipher } from '../shared/native.js';

export const aes256Gcm = nativeCipher('aes-256-gcm');

export default defineRuntime(cipher, { create: () => aes256Gcm });
