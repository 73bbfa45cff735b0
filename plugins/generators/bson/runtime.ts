/** ObjectIds as the document database makes them; the bytes of the process come from node:crypto, the counter only counts. */
import { ObjectId } from 'bson';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(generator, { create: () => ({ next: () => new ObjectId().toHexString() }) });
