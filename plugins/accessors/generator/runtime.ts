/** Draws an identifier from a generator; each place in a definition gets one per request, also when work is repeated. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { accessor } from '../../kinds/accessor.js';
import { generator } from '../../kinds/generator.js';

export default defineRuntime(accessor, {
  create: () => ({
    compile: ([name = ''], tools) => {
      const source = tools.resolve(generator, name);
      const slot = tools.memo();
      return { constant: false, once: slot, read: (frame) => (frame.slots[slot] ??= source.next()) };
    },
  }),
});
