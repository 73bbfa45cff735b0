/** Lays the results of other actionables under the result of this place. */
import { isObject, type Json } from '../../../kernel/contract/json.js';
import { ActionPhase, ResourcePhase } from '../../../kernel/contract/slot.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ slot, value }, tools) => {
      const written = value['combine_returned_results_from'];
      const ids = Array.isArray(written) ? (written as readonly Json[]) : [];
      const sources = ids.flatMap((id) => tools.action('self', Number(id)) ?? []);
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
              const results = [...sources.map((source) => frame.results[source]), state.result].filter(isObject);
              if (results.length > 0) state.result = Object.assign({}, ...results);
            },
          },
        ],
      };
    },
  }),
});
