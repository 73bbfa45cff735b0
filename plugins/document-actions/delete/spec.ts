/** `DELETE`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape } from '../../../contract/combinators.js';
import { filterField, MISTAKEN_FILTER, sortField } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'DELETE',
  aliases: ['deleteOne', 'DELETE_ONE', 'deleteMany', 'DELETE_MANY', 'REMOVE', 'findOneAndDelete', 'findByIdAndDelete'],
  since: '0.5.0',
  summary: 'Removes the documents that match, and returns them as they were.',
  details:
    'With `"result": "one"` on the actionable, only the first document is removed, in the order of `sort`. An empty ' +
    '`filter_predicate` matches all documents.',
  facts: { writes: true, changes: true },
  schema: shape(
    {
      filter_predicate: filterField().required(),
      soft_delete: flag({
        doc: 'Writes the time into `deleted_at` instead of removing the documents.',
        default: false,
      }),
      sort: sortField(),
    },
    { mistaken: MISTAKEN_FILTER },
  ),
  examples: [
    { title: 'By its id', json: { action: 'DELETE', filter_predicate: { _id: '$PAYLOAD.id' } } },
    {
      title: 'Soft deletion',
      json: { action: 'DELETE', filter_predicate: { owner: '$PAYLOAD.owner', deleted_at: null }, soft_delete: true },
    },
  ],
  counterExamples: [
    {
      title: 'No such field',
      json: { action: 'DELETE', filter_predicate: {}, nothing: [] },
      code: 'DEF_UNKNOWN_KEY',
      at: '/nothing',
    },
    { title: 'No filter', json: { action: 'DELETE' }, code: 'DEF_REQUIRED', at: '' },
  ],
});
