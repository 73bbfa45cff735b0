/** UUIDs in Base58; the library uses `randomUUID` of the platform. */
import shortUuid from 'short-uuid';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, { create: () => ({ next: () => shortUuid.generate() }) });
