/** `nice` ids begin with a letter; the library draws from node:crypto. */
import { nice } from 'slugid';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, { create: () => ({ next: () => nice() }) });
