/** Puts work off without settings of its own; how it gets into the queue is the business of the feature `queue`. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';
import { putsOff } from '../shared/putting-off.js';

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }) => ({
      steps: [],
      ...(value['run_in_background'] === true && { defers: resolve(putsOff, 'queue').ways() }),
    }),
  }),
});
