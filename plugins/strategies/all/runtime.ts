/** Runs verifiers sequentially and stops at the first rejection. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { strategy } from '../../kinds/strategy.js';
import type { Verdict } from '../../kinds/verifier.js';

export default defineRuntime(strategy, {
  create: () => ({
    combine: (verifiers) => async (invocation) => {
      // Without verifiers, the request is rejected.
      let verdict: Verdict = { refused: 'no verifier' };
      for (const verify of verifiers) {
        verdict = await verify(invocation);
        if (verdict !== true) return verdict;
      }
      return verdict;
    },
  }),
});
