/** `AGGREGATE`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { list, shape, value } from '../../../contract/combinators.js';
import { STAGE_NAMES } from '../shared/names.light.js';
import { MISTAKEN_PIPELINE } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'AGGREGATE',
  aliases: ['PIPELINE', 'AGGREGATION'],
  since: '0.5.0',
  summary: 'Runs a pipeline over the collection.',
  facts: { writes: false },
  schema: shape(
    {
      pipeline: list(value(null, { doc: 'A stage: an object with one operator.' }), {
        doc:
          'The stages, in order. Values of a request are never read as paths or operators. Stages that write (`$out`, ' +
          '`$merge`) or run code are rejected.',
        itemLabel: 'stage',
        members: STAGE_NAMES,
        examples: [[{ $match: { done: true } }, { $group: { _id: '$owner', count: { $sum: 1 } } }]],
      }).required(),
    },
    { mistaken: MISTAKEN_PIPELINE },
  ),
  examples: [
    {
      title: 'Sums by owner',
      json: {
        action: 'AGGREGATE',
        pipeline: [
          { $match: { done: true } },
          { $group: { _id: '$owner', count: { $sum: 1 } } },
          { $sort: { _id: 1 } },
        ],
      },
    },
  ],
  counterExamples: [
    {
      title: 'No such field',
      json: { action: 'AGGREGATE', pipeline: [], nothing: [] },
      code: 'DEF_UNKNOWN_KEY',
      at: '/nothing',
    },
    { title: 'No stages', json: { action: 'AGGREGATE' }, code: 'DEF_REQUIRED', at: '' },
    { title: 'A misspelt name', json: { action: 'AGGREGATE', stages: [] }, code: 'DEF_INVENTED', at: '/stages' },
  ],
});
