/** Merges other results with this one; own fields take precedence. */
import { isObject, type Json } from '../../../contract/json.js';
import { createHider } from '../../../language/strings/hide-secrets.js';
import type { PlanTools } from '../../../contract/plan.js';
import { ActionPhase, ResourcePhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ slot, value }, tools) => {
      const written = value['combine_returned_results_from'];
      const ids = Array.isArray(written) ? (written as readonly Json[]) : [];
      const sources = ids.flatMap((id) => tools.action('self', Number(id)) ?? []);
      for (const source of sources) tools.recordResultRead(source, []);
      // An actionable's result still passes the step that hides secrets.
      const keep = slot === 'resource' ? createSecretHider(tools) : (result: object): object => result;
      return {
        steps: [
          {
            id: 'combine_returned_results_from',
            phase: slot === 'resource' ? ResourcePhase.REPLY : ActionPhase.SHAPE,
            // Before `returnables` selects fields of the merged result.
            order: -100,
            total: true,
            run: (frame, state) => {
              // A list has no fields to merge.
              if (Array.isArray(state.result)) return;
              const others = sources.map((source) => frame.results[source]).filter(isObject);
              if (others.length === 0) return;
              const own = isObject(state.result) ? state.result : {};
              state.result = mergeResults([...others.map(keep), own]);
            },
          },
        ],
      };
    },
  }),
});

/** Own data properties: a name from a remote service, such as `__proto__`, must not invoke a setter. */
const mergeResults = (results: readonly object[]): object =>
  Object.fromEntries(results.flatMap((result) => Object.entries(result)));

/** `returnables` of the main result must not reveal merged secrets. */
function createSecretHider({ secrets, revealed, conceals }: PlanTools): (result: object) => object {
  const hide = createHider(secrets, revealed, conceals);
  return (result) => hide(result) as object;
}
