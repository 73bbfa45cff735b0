/** Base64 in the alphabet for addresses (RFC 4648), without padding. The platform's decoder takes anything, so what it read is written again and compared. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { encoding, type Encoding } from '../../kinds/encoding.js';
import { platform } from '../shared/platform.js';

export const base64Url: Encoding = platform('base64url');

export default defineRuntime(encoding, { create: () => base64Url });
