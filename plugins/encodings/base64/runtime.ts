/** Base64 (RFC 4648) with its padding. The platform's decoder takes anything, so what it read is written again and compared. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { encoding, type Encoding } from '../../kinds/encoding.js';
import { platform } from '../shared/platform.js';

export const base64: Encoding = platform('base64');

export default defineRuntime(encoding, { create: () => base64 });
