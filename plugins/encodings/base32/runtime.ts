/** Base32 (RFC 4648): upper case, padded. Unused bits must be zero. */
import { base32 as coder } from '@scure/base';
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';
import { createPackageEncoding } from '../shared/package.js';

export const base32: Encoding = createPackageEncoding(coder);

export default defineRuntime(encoding, { create: () => base32 });
