/** Spec of `SHORTUUID`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'SHORTUUID',
  since: '0.2.0',
  summary: 'A random UUID, version 4, written with 22 letters and digits that do not look alike.',
  details: 'The alphabet is the Base58 of Flickr: no `0`, `O`, `I`, `l`. 122 random bits.',
  facts: { length: 22, pattern: '[1-9a-km-zA-HJ-NP-Z]{22}', sortable: false, guessable: false },
  examples: [{ title: 'A short UUID', json: '$GENERATOR.SHORTUUID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.SHORTUID', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
