/** Runs verifiers sequentially and stops at the first that accepts. */
import { defineRuntime } from '../../../contract/plugin.js';
import { strategy } from '../kind.js';

export default defineRuntime(strategy, {
  create: () => ({
    combine: (verifiers) => async (invocation) => {
      const reasons: string[] = [];
      for (const verify of verifiers) {
        const result = await verify(invocation);
        if (result === true) return true;
        reasons.push(result.refused);
      }
      return { refused: reasons.join('; ') || 'no verifier' };
    },
  }),
});
