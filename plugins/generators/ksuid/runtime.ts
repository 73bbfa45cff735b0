/** The library draws the 128 random bits from node:crypto. */
import KSUID from 'ksuid';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, { create: () => ({ next: () => KSUID.randomSync().string }) });
