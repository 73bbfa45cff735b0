/** BSON ObjectIds; the process bytes are random from node:crypto, the counter is sequential. */
import { ObjectId } from 'bson';
import { defineRuntime } from '../../../contract/plugin.js';
import { generator } from '../kind.js';

export default defineRuntime(generator, { create: () => ({ next: () => new ObjectId().toHexString() }) });
