/** Prevents the compiler from sharing a transaction between the actionables of the resource. */
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }) => ({ steps: [], ...(value['transaction'] === false && { alone: true as const }) }),
  }),
});
