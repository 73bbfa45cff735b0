/** Returns the value of the definition with its accessors resolved. */
import { defineRuntime } from '../../../contract/plugin.js';
import { mode } from '../kind.js';

export default defineRuntime(mode, {
  create: () => ({
    plan: (value, _pointer, tools) => ({
      passes: tools.valueSlot(value['value'] ?? null),
      execute: tools.value(value['value'] ?? null),
      pure: true,
      describe: { return: value['value'] ?? null },
    }),
  }),
});
