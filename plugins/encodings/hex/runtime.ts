/** Lower-case hexadecimal digits. */
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';
import { createPlatformEncoding } from '../shared/platform.js';

export const hex: Encoding = createPlatformEncoding('hex');

export default defineRuntime(encoding, { create: () => hex });
