/** Spec of `EMAIL`. */
import { definePlugin } from '../../../contract/plugin.js';
import { lengthBounds } from '../shared/bounds.light.js';
import { createTextSchema } from '../shared/rule-schemas.light.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'EMAIL',
  since: '0.1.0',
  summary: 'An e-mail address of at most 254 characters: `local@domain.tld`. Its existence is not checked.',
  facts: { jsType: 'string', bounded: true },
  schema: lengthBounds,
  openapi: ({ value }) => ({
    // With a canonical form, surrounding blanks or a trailing dot are valid input.
    value:
      value['canonical'] === undefined
        ? { maxLength: 254, ...createTextSchema(value), format: 'email' }
        : { ...createTextSchema(value), description: 'An e-mail address.' },
  }),
  examples: [
    { title: 'In one form, however it is typed', json: { type: 'EMAIL', canonical: 'email' } },
    { title: 'An address', json: { type: 'EMAIL', max_length: 120 } },
  ],
  counterExamples: [
    {
      title: 'An unknown form',
      json: { type: 'EMAIL', canonical: 'lowercase' },
      code: 'DEF_VALUE',
      at: '/canonical',
    },
    { title: 'Unknown option', json: { type: 'EMAIL', strict: true }, code: 'DEF_UNKNOWN_KEY', at: '/strict' },
  ],
});
