/** Padded Base64 (RFC 4648). */
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';
import { createPlatformEncoding } from '../shared/platform.js';

export const base64: Encoding = createPlatformEncoding('base64');

export default defineRuntime(encoding, { create: () => base64 });
