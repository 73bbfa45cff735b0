/** Spec of `Float`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'field-type',
  name: 'Float',
  aliases: ['DECIMAL', 'DOUBLE', 'NUMERIC', 'REAL', 'MONEY'],
  since: '0.1.0',
  summary: 'A floating-point number, in double precision.',
  facts: { column: 'float' },
  examples: [{ title: 'A field', json: { type: 'Float' } }],
  counterExamples: [
    { title: 'Unknown option', json: { type: 'Float', size: 4 }, code: 'DEF_UNKNOWN_KEY', at: '/size' },
  ],
});
