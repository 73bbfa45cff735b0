/** `INSERT`: an action of `mongo_query`. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape, value } from '../../../contract/combinators.js';
import { FIELD_NAMES } from '../shared/names.light.js';
import { MISTAKEN_DOCUMENT } from '../shared/fields.light.js';

export default definePlugin({
  kind: 'document-action',
  name: 'INSERT',
  aliases: ['insertOne', 'INSERT_ONE', 'insertMany', 'INSERT_MANY', 'CREATE', 'ADD', 'SAVE'],
  since: '0.5.0',
  summary: 'Writes a document and returns it.',
  details:
    'Names in a value of a request must not begin with `$` or contain a dot: such a document is rejected with 422. ' +
    'Without an `_id` the database creates one.',
  facts: { writes: true },
  schema: shape(
    {
      document: value(null, {
        members: FIELD_NAMES,
        doc:
          'The document to write. Without it, each entry of `parameters` is a field: a bare name is the field of that name, an ' +
          'accessor is the field of its last segment.',
        examples: [{ _id: '$GENERATOR.ULID', owner: '$PROTECTED.id', text: '$PAYLOAD.text' }],
        form: '{"text": "$PAYLOAD.text"}',
      }),
    },
    { mistaken: MISTAKEN_DOCUMENT },
  ),
  examples: [
    { title: 'Fields by name', json: { action: 'INSERT', parameters: ['title', '$PAYLOAD.text'] } },
    {
      title: 'The document written out',
      json: {
        action: 'INSERT',
        document: { text: '$PAYLOAD.text', tags: [], seen: { count: 0 } },
        with_timestamp: true,
      },
    },
  ],
  counterExamples: [
    { title: 'No such field', json: { action: 'INSERT', nothing: [] }, code: 'DEF_UNKNOWN_KEY', at: '/nothing' },
    { title: 'A misspelt name', json: { action: 'INSERT', data: {} }, code: 'DEF_INVENTED', at: '/data' },
  ],
});
