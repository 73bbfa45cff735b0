/** Spec of `SLUGID`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'SLUGID',
  since: '0.2.0',
  summary: 'A random UUID, version 4, in 22 characters of Base64url; always begins with a letter.',
  details: 'The `nice` form: one bit is fixed, so that it never begins with a dash. 121 random bits.',
  facts: {
    length: 22,
    pattern: '[A-Za-f][\\w-]{7}[Q-T][\\w-][CGKOSWaeimquy26-][\\w-]{10}[AQgw]',
    sortable: false,
    guessable: false,
  },
  examples: [{ title: 'A UUID for a URL', json: '$GENERATOR.SLUGID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.SLUGIDS', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
