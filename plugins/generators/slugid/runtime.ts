/** `nice` ids begin with a letter; the library draws from node:crypto. */
import { nice } from 'slugid';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => nice() }) });
