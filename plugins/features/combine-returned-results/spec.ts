/** `combine_returned_results_from`: one answer out of the results of several actionables. */
import { list, numeric, shape } from '../../../kernel/schema/combinators.js';
import { definePlugin } from '../../../kernel/contract/plugin.js';

const combine = list(
  numeric({ doc: 'Id of an actionable of this resource.', refers: { symbol: 'action', edge: true } }).integer(),
  { doc: 'Actionables whose object results are merged, in this order, into the result.', examples: [[1, 2]] },
).min(1);

export default definePlugin({
  kind: 'feature',
  name: 'combine_returned_results_from',
  since: '0.2.0',
  summary: 'Merges the object results of the named actionables, in that order, into the result.',
  details:
    'A name that stands in several results has the value of the last one; the result that is merged into has the last ' +
    'word. Results that are no objects add nothing, and a list takes nothing in. On an actionable, the named ones run ' +
    'before it. Secret fields of the results merged on a resource stay in unless its `returnables` name them.',
  facts: { applies: 'when-present' },
  slots: {
    resource: shape({ combine_returned_results_from: combine }),
    actionable: shape({ combine_returned_results_from: combine }),
  },
  examples: [{ title: 'With the first', json: { combine_returned_results_from: [1] } }],
  counterExamples: [
    {
      title: 'No such actionable',
      json: { combine_returned_results_from: [9] },
      code: 'LNK_UNKNOWN_ACTION',
      at: '/combine_returned_results_from/0',
    },
  ],
});
