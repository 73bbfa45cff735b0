/** Spec of `ARRAY`: a list of objects. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { closed, listBounds, nestedFields } from '../shared/bounds.light.js';
import { createCountSchema, createFieldsSchema } from '../shared/rule-schemas.light.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'ARRAY',
  aliases: ['LIST', 'OBJECTARRAY', 'ARRAY_OF_OBJECTS'],
  since: '0.2.0',
  summary: 'A list of objects; `fields` has the rules for the fields of each.',
  details:
    'Every item must be an object; without `fields` any object is valid. `arr_length` is the maximum number of items. ' +
    'Errors have the index of the item: `/items/0/sku`.',
  facts: { jsType: 'array', bounded: false },
  requires: ['validation-type:*'],
  schema: shape({ ...listBounds, fields: nestedFields, closed }),
  openapi: ({ value, getValueSchema }) => ({
    value: { type: 'array', items: createFieldsSchema(value, getValueSchema), ...createCountSchema(value) },
  }),
  examples: [
    { title: 'Any objects', json: { type: 'ARRAY' } },
    {
      title: 'A few items',
      json: {
        type: 'ARRAY',
        arr_min_length: 1,
        arr_length: 20,
        fields: { sku: { type: 'STRING' }, count: { type: 'NUMBER', integer: true, min: 1 } },
      },
    },
  ],
  counterExamples: [
    {
      title: 'An option of texts',
      json: { type: 'ARRAY', max_length: 20 },
      code: 'DEF_UNKNOWN_KEY',
      at: '/max_length',
    },
    {
      title: 'Bounds cross',
      json: { type: 'ARRAY', arr_min_length: 3, arr_length: 2 },
      code: 'VAL_BOUNDS',
      at: '/arr_min_length',
    },
  ],
});
