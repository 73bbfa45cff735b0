/** Spec of `NANOID`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'NANOID',
  since: '0.2.0',
  summary: 'A Nano ID: 21 characters of the URL alphabet, 126 random bits.',
  details: 'The length is fixed. It may begin with a dash or an underscore.',
  facts: { length: 21, pattern: '[A-Za-z0-9_-]{21}', sortable: false, guessable: false },
  examples: [{ title: 'A short random identifier', json: '$GENERATOR.NANOID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.NANOIDS', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
