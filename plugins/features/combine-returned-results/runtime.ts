/** Lays the results of other actionables under the result of this place. */
import { isObject, type Json } from '../../../kernel/contract/json.js';
import { hider } from '../../../kernel/language/hidden.js';
import type { PlanTools } from '../../../kernel/contract/plan.js';
import { ActionPhase, ResourcePhase } from '../../../kernel/contract/slot.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ slot, value }, tools) => {
      const written = value['combine_returned_results_from'];
      const ids = Array.isArray(written) ? (written as readonly Json[]) : [];
      const sources = ids.flatMap((id) => tools.action('self', Number(id)) ?? []);
      for (const source of sources) tools.takes(source, []);
      // On an actionable the answer still passes the place where secret fields are kept in.
      const keep = slot === 'resource' ? withoutSecrets(tools) : (result: object): object => result;
      return {
        steps: [
          {
            id: 'combine_returned_results_from',
            phase: slot === 'resource' ? ResourcePhase.REPLY : ActionPhase.SHAPE,
            // Before `returnables` picks from what was put together.
            order: -100,
            total: true,
            run: (frame, state) => {
              // A list has no names to merge.
              if (Array.isArray(state.result)) return;
              const others = sources.map((source) => frame.results[source]).filter(isObject);
              if (others.length === 0) return;
              const own = isObject(state.result) ? state.result : {};
              state.result = merged([...others.map(keep), own]);
            },
          },
        ],
      };
    },
  }),
});

/** Names as data: what a remote service calls its fields must not reach a setter. */
const merged = (results: readonly object[]): object =>
  Object.fromEntries(results.flatMap((result) => Object.entries(result)));

/** The main result may have named what leaves of it; that says nothing about the results merged into it. */
function withoutSecrets({ secrets, revealed, conceals }: PlanTools): (result: object) => object {
  const hide = hider(secrets, revealed, conceals);
  return (result) => hide(result) as object;
}
