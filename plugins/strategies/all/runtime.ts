/** `ALL`: one after the other, in the order given; stops as soon as the verdict is certain. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { strategy } from '../../kinds/strategy.js';
import type { Verdict } from '../../kinds/verifier.js';

export default defineRuntime(strategy, {
  create: () => ({
    combine: (verifiers) => async (invocation) => {
      // Nothing was judged: nobody may pass.
      let verdict: Verdict = { refused: 'no verifier' };
      for (const verify of verifiers) {
        verdict = await verify(invocation);
        if (verdict !== true) return verdict;
      }
      return verdict;
    },
  }),
});
