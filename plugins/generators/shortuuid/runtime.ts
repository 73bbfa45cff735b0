/** UUIDs in Base58; the library takes them from `randomUUID` of the platform's cryptographic source. */
import shortUuid from 'short-uuid';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => shortUuid.generate() }) });
