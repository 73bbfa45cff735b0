/** Spec of `JSON_ARRAY`. */
import { definePlugin } from '../../../contract/plugin.js';
import { pluginName, shape } from '../../../contract/combinators.js';
import { search } from '../shared/search.light.js';

export default definePlugin({
  kind: 'field-type',
  name: 'JSON_ARRAY',
  aliases: ['ARRAY', 'LIST'],
  since: '0.1.0',
  summary: 'An array.',
  facts: { column: 'json', holds: 'array' },
  schema: shape({
    ...search,
    property_type: pluginName('field-type', {
      doc: 'Type of the items. An array with an item of another type is rejected.',
      examples: ['String'],
    }),
  }),
  openapi: ({ value: { property_type: type }, getValueSchema }) => ({
    value: { type: 'array', items: typeof type === 'string' ? getValueSchema('field-type', type, {}) : {} },
  }),
  examples: [{ title: 'Tags', json: { type: 'JSON_ARRAY', property_type: 'String' } }],
  counterExamples: [
    {
      title: 'A type that is not text',
      json: { type: 'JSON_ARRAY', property_type: 1 },
      code: 'DEF_TYPE',
      at: '/property_type',
    },
    {
      title: 'Unknown type of items',
      json: { type: 'JSON_ARRAY', property_type: 'Text' },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/property_type',
    },
  ],
});
