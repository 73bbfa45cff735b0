/** The library draws the 128 random bits from node:crypto. */
import KSUID from 'ksuid';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

/** Milliseconds: the format counts seconds from here in 32 bits. */
const FIRST = 14e11;
const LAST = FIRST + (2 ** 32 - 1) * 1000;

const createId = (): string => KSUID.randomSync(Math.min(LAST, Math.max(FIRST, Date.now()))).string;

export default defineRuntime(generator, { create: () => ({ next: createId }) });
