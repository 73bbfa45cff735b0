/** Nano IDs of the usual size; the library draws from node:crypto. */
import { nanoid } from 'nanoid';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

/** Called without a size on purpose: no value of a request may choose it. */
export default defineRuntime(generator, { create: () => ({ next: () => nanoid() }) });
