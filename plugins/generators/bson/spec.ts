/** Spec of `BSON`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'BSON',
  since: '0.2.0',
  summary: 'A BSON ObjectId: 24 hexadecimal digits; seconds, five bytes of the process, a counter.',
  details: 'Sorts by the second. Each identifier can be derived from the previous one: never use it as a secret.',
  facts: { length: 24, pattern: '[0-9a-f]{24}', sortable: false, guessable: true },
  examples: [{ title: 'An ObjectId', json: '$GENERATOR.BSON' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.BSONS', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
