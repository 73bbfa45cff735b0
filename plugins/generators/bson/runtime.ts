/** BSON ObjectIds; the process bytes are random from node:crypto, the counter is sequential. */
import { ObjectId } from 'bson';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => new ObjectId().toHexString() }) });
