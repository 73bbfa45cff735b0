/** Two lower-case hexadecimal digits for each byte. The platform's decoder takes anything, so what it read is written again and compared. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { encoding, type Encoding } from '../../kinds/encoding.js';
import { platform } from '../shared/platform.js';

export const hex: Encoding = platform('hex');

export default defineRuntime(encoding, { create: () => hex });
