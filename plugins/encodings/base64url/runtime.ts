/** Unpadded base64url (RFC 4648). */
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';
import { platform } from '../shared/platform.js';

export const base64Url: Encoding = platform('base64url');

export default defineRuntime(encoding, { create: () => base64Url });
