/** Reads the claims that the guard of the resource stored in the frame. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { accessor } from '../../kinds/accessor.js';

export default defineRuntime(accessor, {
  create: () => ({ compile: (tail, tools) => ({ constant: false, read: tools.claim(tail) }) }),
});
