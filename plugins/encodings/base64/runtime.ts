/** Padded Base64 (RFC 4648). */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { encoding, type Encoding } from '../../kinds/encoding.js';
import { platform } from '../shared/platform.js';

export const base64: Encoding = platform('base64');

export default defineRuntime(encoding, { create: () => base64 });
