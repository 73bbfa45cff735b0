/** `FETCH_ONE`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { filterField, MISTAKEN_FIND, projectionField, skipField, sortField } from '../shared/fields.light.js';
import { listProjectedNames } from '../shared/answers.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'FETCH_ONE',
  aliases: ['findOne', 'FIND_ONE', 'findById', 'FIND_BY_ID', 'findUnique', 'findFirst'],
  since: '0.5.0',
  summary: 'Reads the first document that matches.',
  facts: { writes: false },
  answers: ({ value }) => listProjectedNames(value['projection']),
  schema: shape(
    {
      filter_predicate: filterField(),
      projection: projectionField(),
      sort: sortField(),
      skip: skipField(),
    },
    { mistaken: MISTAKEN_FIND },
  ),
  examples: [
    {
      title: 'The newest one',
      json: { action: 'FETCH_ONE', filter_predicate: { done: false }, sort: { created_at: -1 } },
    },
  ],
  counterExamples: [
    { title: 'No such field', json: { action: 'FETCH_ONE', nothing: [] }, code: 'DEF_UNKNOWN_KEY', at: '/nothing' },
    {
      title: 'A limit, although one document is returned',
      json: { action: 'FETCH_ONE', limit: 2 },
      code: 'DEF_UNKNOWN_KEY',
      at: '/limit',
    },
  ],
});
