/** Reads the instant of the request. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { accessor } from '../../kinds/accessor.js';

export default defineRuntime(accessor, {
  create: () => ({ compile: () => ({ constant: false, read: (frame) => frame.now() }) }),
});
