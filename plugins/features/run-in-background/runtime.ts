/** Defers work with default settings; the `queue` feature enqueues it. */
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';
import { deferralFeature } from '../shared/deferral-feature.js';

export default defineRuntime(feature, {
  create: ({ resolve }) => ({
    plan: ({ value }) => ({
      steps: [],
      ...(value['run_in_background'] === true && { defers: resolve(deferralFeature, 'queue').createDeferrals() }),
    }),
  }),
});
