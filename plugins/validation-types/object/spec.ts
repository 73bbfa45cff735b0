/** Spec of `OBJECT`. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { closed, lengthBounds, nestedFields } from '../shared/bounds.light.js';
import { createFieldsSchema } from '../shared/rule-schemas.light.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'OBJECT',
  aliases: ['JSON', 'MAP'],
  since: '0.2.0',
  summary: 'An object; `fields` has the rules for its fields, at any depth.',
  details:
    'Without `fields` any object is valid. Fields without a rule are allowed, unless `closed` is true. `min_length` ' +
    'and `max_length` apply to every text inside that has no bounds of its own. Fields are read as ' +
    '`$PAYLOAD.address.city`.',
  facts: { jsType: 'object', bounded: false },
  requires: ['validation-type:*'],
  schema: lengthBounds.concat(shape({ fields: nestedFields, closed })),
  openapi: ({ value, getValueSchema }) => ({ value: createFieldsSchema(value, getValueSchema) }),
  examples: [
    {
      title: 'An address',
      json: { type: 'OBJECT', fields: { city: { type: 'STRING' }, zip: { type: 'STRING', optional: true } } },
    },
    { title: 'No other fields', json: { type: 'OBJECT', fields: { x: { type: 'NUMBER' } }, closed: true } },
    {
      title: 'Two levels, one bound for all texts',
      json: {
        type: 'OBJECT',
        max_length: 40,
        fields: { geo: { type: 'OBJECT', fields: { name: { type: 'STRING' } } } },
      },
    },
  ],
  counterExamples: [
    {
      title: 'Unknown type inside',
      json: { type: 'OBJECT', fields: { age: { type: 'INTEGER' } } },
      code: 'DEF_UNKNOWN_PLUGIN',
      at: '/fields/age/type',
    },
    {
      title: 'Bounds cross inside',
      json: { type: 'OBJECT', max_length: 3, fields: { city: { type: 'STRING', min_length: 9 } } },
      code: 'VAL_BOUNDS',
      at: '/fields/city/min_length',
    },
    { title: 'Rules in a list', json: { type: 'OBJECT', fields: [] }, code: 'DEF_TYPE', at: '/fields' },
  ],
});
