/** Spec of `CUID2`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'CUID2',
  since: '0.2.0',
  summary: 'A CUID2: 24 lower-case letters and digits, the first a letter.',
  details:
    'About 120 random bits, hashed with SHA-3, which makes it the slowest generator: about 0.1 ms each. It does not ' +
    'reveal the time of its creation.',
  facts: { length: 24, pattern: '[a-z][0-9a-z]{23}', sortable: false, guessable: false },
  examples: [{ title: 'A hashed identifier', json: '$GENERATOR.CUID2' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.CUID3', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
