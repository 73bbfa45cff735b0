/**
 * Base58 in Bitcoin's alphabet, with a `1` for each leading zero byte. The work is quadratic, so values are bounded.
 */
import { base58 as coder } from '@scure/base';
import { defineRuntime } from '../../../contract/plugin.js';
import { encoding, type Encoding } from '../kind.js';
import { createPackageEncoding } from '../shared/package.js';

/** Maximum bytes of a value; converting them takes about two milliseconds. */
const MOST = 2048;

export const base58: Encoding = createPackageEncoding(coder, MOST);

export default defineRuntime(encoding, { create: () => base58 });
