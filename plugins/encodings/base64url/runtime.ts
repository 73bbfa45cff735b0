/** Unpadded base64url (RFC 4648). */
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';
import { createPlatformEncoding } from '../shared/platform.js';

export const base64Url: Encoding = createPlatformEncoding('base64url');

export default defineRuntime(encoding, { create: () => base64Url });
