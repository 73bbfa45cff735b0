/** The library hashes time, counter and randomness from the platform's cryptographic source. */
import { createId } from '@paralleldrive/cuid2';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, { create: () => ({ next: () => createId() }) });
