/** AES-256-GCM from the platform. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { cipher } from '../../kinds/cipher.js';
import { nativeCipher } from '../shared/native.js';

export const aes256Gcm = nativeCipher('aes-256-gcm');

export default defineRuntime(cipher, { create: () => aes256Gcm });
