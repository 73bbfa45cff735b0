/** `ANY`: one after the other, in the order given; stops as soon as the verdict is certain. */
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { strategy } from '../../kinds/strategy.js';

export default defineRuntime(strategy, {
  create: () => ({
    combine: (verifiers) => async (invocation) => {
      const reasons: string[] = [];
      for (const verify of verifiers) {
        const verdict = await verify(invocation);
        if (verdict === true) return true;
        reasons.push(verdict.refused);
      }
      return { refused: reasons.join('; ') || 'no verifier' };
    },
  }),
});
