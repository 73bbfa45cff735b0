/** Prevents the compiler from sharing a transaction between the actionables of the resource. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }) => ({ steps: [], ...(value['transaction'] === false && { alone: true as const }) }),
  }),
});
