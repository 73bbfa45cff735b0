/** Reads the instant of the request. */
import { defineRuntime } from '../../../contract/plugin.js';
import { accessor } from '../kind.js';

export default defineRuntime(accessor, {
  create: () => ({ compile: () => ({ constant: false, read: (frame) => frame.now() }) }),
});
