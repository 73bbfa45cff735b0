/** Tells the compiler that the actionables of the resource share no unit of work. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }) => ({ steps: [], ...(value['transaction'] === false && { alone: true as const }) }),
  }),
});
