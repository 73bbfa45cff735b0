/** The library hashes time, counter and randomness from the platform's cryptographic source. */
import { createId } from '@paralleldrive/cuid2';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => createId() }) });
