/** Random UUIDs from the platform's cryptographic source. */
import { randomUUID } from 'node:crypto';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, { create: () => ({ next: () => randomUUID() }) });
