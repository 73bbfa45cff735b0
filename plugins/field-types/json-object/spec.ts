/** `JSON_OBJECT`: a type of model fields. */
import { definePlugin } from '../../../kernel/contract/plugin.js';
import { anyJson, record, shape } from '../../../kernel/schema/combinators.js';

export default definePlugin({
  kind: 'field-type',
  name: 'JSON_OBJECT',
  since: '0.1.0',
  summary: 'An object.',
  facts: { column: 'json' },
  schema: shape({
    properties: record(anyJson({ doc: 'Definition of the sub-field.' }), {
      doc: 'Sub-fields of the object, for documentation.',
    }),
  }),
  examples: [{ title: 'Settings', json: { type: 'JSON_OBJECT', properties: { theme: { type: 'String' } } } }],
  counterExamples: [
    {
      title: 'Sub-fields are named',
      json: { type: 'JSON_OBJECT', properties: ['theme'] },
      code: 'DEF_TYPE',
      at: '/properties',
    },
  ],
});
