/** Spec of `NUMBER`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, numeric, shape } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'NUMBER',
  aliases: ['FLOAT', 'INTEGER', 'INT', 'DOUBLE', 'DECIMAL', 'NUMERIC'],
  since: '0.1.0',
  summary: 'A finite number. Whole numbers must be exact: at most 2^53 - 1.',
  details:
    'Text is converted only in a query string and in the path, where a request has no other type, and must be written ' +
    'as a JSON number. In a body, text is not a number.',
  facts: { jsType: 'number', bounded: false },
  schema: shape({
    min: numeric({ doc: 'Smallest value allowed (extension).', examples: [0] }),
    max: numeric({ doc: 'Largest value allowed (extension).', examples: [100] }),
    integer: flag({ doc: 'Only whole numbers (extension).', default: false }),
  }),
  openapi: ({ value: { min, max, integer } }) => ({
    value: {
      type: integer === true ? 'integer' : 'number',
      ...(typeof min === 'number' && { minimum: min }),
      ...(typeof max === 'number' && { maximum: max }),
    },
  }),
  examples: [{ title: 'An amount', json: { type: 'NUMBER', min: 0.01 } }],
  counterExamples: [
    {
      title: 'An option of texts',
      json: { type: 'NUMBER', max_length: 3 },
      code: 'DEF_UNKNOWN_KEY',
      at: '/max_length',
    },
  ],
});
