/** The claims that the guard stored in the frame. */
import { defineRuntime } from '../../../contract/plugin.js';
import { accessor } from '../kind.js';

export default defineRuntime(accessor, {
  create: () => ({ compile: (tail, tools) => ({ constant: false, read: tools.claim(tail) }) }),
});
