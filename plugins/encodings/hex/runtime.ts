/** Lower-case hexadecimal digits. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { encoding, type Encoding } from '../../kinds/encoding.js';
import { platform } from '../shared/platform.js';

export const hex: Encoding = platform('hex');

export default defineRuntime(encoding, { create: () => hex });
