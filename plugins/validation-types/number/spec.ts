/** Spec of `NUMBER`. */
import { definePlugin } from '../../../contract/plugin.js';
import { flag, numeric, shape } from '../../../contract/combinators.js';

export default definePlugin({
  kind: 'validation-type',
  name: 'NUMBER',
  aliases: ['FLOAT', 'INTEGER', 'INT', 'DOUBLE', 'DECIMAL', 'NUMERIC'],
  since: '0.1.0',
  summary: 'A finite number; whole numbers only as far as they are exact (2^53 - 1).',
  details:
    'Text is converted only where a request can send nothing else: in a query string and in the path, written as JSON writes ' +
    'numbers. In a body, text is not a number.',
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
      title: 'Numbers have no length',
      json: { type: 'NUMBER', max_length: 3 },
      code: 'DEF_UNKNOWN_KEY',
      at: '/max_length',
    },
  ],
});
