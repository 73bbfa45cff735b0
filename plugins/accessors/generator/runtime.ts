/** Creates an identifier once per request for each place, so that retried work reuses it. */
import { defineRuntime } from '../../../contract/plugin.js';
import { accessor } from '../kind.js';
import { generator } from '../../generators/kind.js';

export default defineRuntime(accessor, {
  create: () => ({
    compile: ([name = ''], tools) => {
      const source = tools.resolve(generator, name);
      const slot = tools.allocateSlot();
      return { constant: false, once: slot, read: (frame) => (frame.slots[slot] ??= source.next()) };
    },
  }),
});
