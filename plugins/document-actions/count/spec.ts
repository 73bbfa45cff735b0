/** `COUNT`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { filterField, MISTAKEN_FILTER } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'COUNT',
  aliases: ['countDocuments', 'COUNT_DOCUMENTS', 'estimatedDocumentCount'],
  since: '0.5.0',
  summary: 'Counts the documents that match: one row, `{"count": 3}`.',
  facts: { writes: false },
  answers: () => ['count'],
  schema: shape(
    {
      filter_predicate: filterField(),
    },
    { mistaken: MISTAKEN_FILTER },
  ),
  examples: [{ title: 'All open documents', json: { action: 'COUNT', filter_predicate: { done: false } } }],
  counterExamples: [
    { title: 'No such field', json: { action: 'COUNT', nothing: [] }, code: 'DEF_UNKNOWN_KEY', at: '/nothing' },
  ],
});
