/** The library draws the 128 random bits from node:crypto. */
import KSUID from 'ksuid';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => KSUID.randomSync().string }) });
