/** `FETCH`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import {
  filterField,
  limitField,
  MISTAKEN_FIND,
  projectionField,
  skipField,
  sortField,
} from '../shared/fields.light.js';
import { listProjectedNames } from '../shared/answers.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'FETCH',
  aliases: ['find', 'SELECT', 'READ', 'LIST', 'FIND_MANY', 'FIND_ALL', 'GET'],
  since: '0.5.0',
  summary: 'Reads the documents that match.',
  details: 'With `"result": "one"` on the actionable, only the first document is read.',
  facts: { writes: false },
  answers: ({ value }) => listProjectedNames(value['projection']),
  schema: shape(
    {
      filter_predicate: filterField(),
      projection: projectionField(),
      sort: sortField(),
      limit: limitField(),
      skip: skipField(),
    },
    { mistaken: MISTAKEN_FIND },
  ),
  examples: [
    { title: 'All documents', json: { action: 'FETCH' } },
    {
      title: 'The newest ones',
      json: {
        action: 'FETCH',
        filter_predicate: { done: false },
        sort: { created_at: -1 },
        limit: 20,
        projection: { _id: 0 },
      },
    },
  ],
  counterExamples: [
    { title: 'No such field', json: { action: 'FETCH', nothing: [] }, code: 'DEF_UNKNOWN_KEY', at: '/nothing' },
    { title: 'A misspelt name', json: { action: 'FETCH', filter: {} }, code: 'DEF_INVENTED', at: '/filter' },
    { title: 'An incomplete field', json: { action: 'FETCH', limit: 1.5 }, code: 'DEF_RANGE', at: '/limit' },
  ],
});
