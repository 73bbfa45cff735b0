/** Runs verifiers sequentially and stops at the first rejection. */
import { defineRuntime } from '../../../contract/plugin.js';
import { strategy } from '../kind.js';
import type { VerificationResult } from '../../verifiers/kind.js';

export default defineRuntime(strategy, {
  create: () => ({
    combine: (verifiers) => async (invocation) => {
      // Without verifiers, the request is rejected.
      let result: VerificationResult = { refused: 'no verifier' };
      for (const verify of verifiers) {
        result = await verify(invocation);
        if (result !== true) return result;
      }
      return result;
    },
  }),
});
