/** `UPDATE`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, shape, value } from '../../../contract/combinators.js';
import { UPDATE_NAMES } from '../shared/names.light.js';
import { arrayFiltersField, filterField, MISTAKEN_FILTER, MISTAKEN_UPDATE, sortField } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'UPDATE',
  aliases: [
    'updateOne',
    'UPDATE_ONE',
    'updateMany',
    'UPDATE_MANY',
    'findOneAndUpdate',
    'FIND_ONE_AND_UPDATE',
    'findByIdAndUpdate',
    'UPSERT',
    'PATCH',
    'replaceOne',
  ],
  since: '0.5.0',
  summary: 'Changes the documents that match, and returns them after the change.',
  details:
    'With `"result": "one"` on the actionable, only the first document is changed, in the order of `sort`. An empty ' +
    '`filter_predicate` matches all documents.',
  facts: { writes: true, changes: true },
  schema: shape(
    {
      filter_predicate: filterField().required(),
      update_predicate: value(null, {
        members: UPDATE_NAMES,
        doc:
          'The changes: operators such as `$set`, `$inc` and `$push`, or a list of stages. Names in a value of a request must ' +
          'not begin with `$` or contain a dot.',
        examples: [{ $set: { name: '$PAYLOAD.name' } }, { $inc: { balance: '$1' } }],
        form: '{"$set": {"name": "$PAYLOAD.name"}}',
      }).required(),
      upsert: flag({ doc: 'If no document matches, creates one from the filter and the update.', default: false }),
      array_filters: arrayFiltersField(),
      sort: sortField(),
    },
    { mistaken: { ...MISTAKEN_FILTER, ...MISTAKEN_UPDATE } },
  ),
  examples: [
    {
      title: 'One field',
      json: {
        action: 'UPDATE',
        filter_predicate: { _id: '$PAYLOAD.id' },
        update_predicate: { $set: { text: '$PAYLOAD.text' } },
        with_timestamp: true,
      },
    },
    {
      title: 'Elements of a list',
      json: {
        action: 'UPDATE',
        filter_predicate: { _id: '$PAYLOAD.id' },
        update_predicate: { $set: { 'items.$[item].done': true } },
        array_filters: [{ 'item.name': '$PAYLOAD.name' }],
      },
    },
  ],
  counterExamples: [
    {
      title: 'No such field',
      json: { action: 'UPDATE', filter_predicate: {}, update_predicate: { $set: { a: 1 } }, nothing: [] },
      code: 'DEF_UNKNOWN_KEY',
      at: '/nothing',
    },
    { title: 'No change', json: { action: 'UPDATE', filter_predicate: {} }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A misspelt name',
      json: { action: 'UPDATE', filter_predicate: {}, update: { $set: { a: 1 } } },
      code: 'DEF_INVENTED',
      at: '/update',
    },
  ],
});
