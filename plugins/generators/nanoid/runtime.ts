/** The library draws from node:crypto. */
import { nanoid } from 'nanoid';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

/** Called without a size, so that no request value can choose it. */
export default defineRuntime(generator, { create: () => ({ next: () => nanoid() }) });
