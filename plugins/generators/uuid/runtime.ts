/** Random UUIDs from the platform's cryptographic source. */
import { randomUUID } from 'node:crypto';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => randomUUID() }) });
