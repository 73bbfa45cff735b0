/** Spec of `STRINGARRAY`: a list of texts. */
import { definePlugin } from '../../../contract/plugin.js';
import { numeric, shape } from '../../../contract/combinators.js';
import { canonicalField } from '../shared/canonical.light.js';
import { listBounds } from '../shared/bounds.light.js';
import { createCountSchema, createTextSchema } from '../shared/rule-schemas.light.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'STRINGARRAY',
  aliases: ['STRING_ARRAY', 'STRING[]', 'ARRAY_OF_STRINGS', 'ARRAY OF STRINGS', 'STRINGS'],
  since: '0.2.0',
  summary: 'A list of texts. In a query string, a single text is a list with one item.',
  details: '`arr_length` is the maximum number of items; `items_min_length` and `items_max_length` count characters.',
  facts: { jsType: 'array', bounded: false },
  schema: shape({
    ...listBounds,
    canonical: canonicalField,
    items_min_length: numeric({ doc: 'Minimum number of characters of each item.', examples: [2] })
      .integer()
      .min(0),
    items_max_length: numeric({ doc: 'Maximum number of characters of each item.', examples: [20] })
      .integer()
      .min(0),
  }),
  openapi: ({ value }) => ({
    value: { type: 'array', items: createTextSchema(value, 'items_'), ...createCountSchema(value) },
  }),
  examples: [
    { title: 'A few words', json: { type: 'STRINGARRAY', arr_length: 4, items_min_length: 2, items_max_length: 20 } },
    { title: 'At least one', json: { type: 'STRINGARRAY', arr_min_length: 1 } },
  ],
  counterExamples: [
    {
      title: 'An option of texts',
      json: { type: 'STRINGARRAY', min_length: 2 },
      code: 'DEF_UNKNOWN_KEY',
      at: '/min_length',
    },
    {
      title: 'Bounds cross',
      json: { type: 'STRINGARRAY', items_min_length: 9, items_max_length: 3 },
      code: 'VAL_BOUNDS',
      at: '/items_min_length',
    },
  ],
});
