/** Spec of `Base58`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'encoding',
  name: 'Base58',
  since: '0.3.0',
  summary: 'Base58 in the alphabet of Bitcoin: no two characters look alike.',
  details:
    'About eleven characters for eight bytes. The computing time grows with the square of the length, so a value of ' +
    'more than 2,048 bytes is rejected.',
  facts: { pattern: '[1-9A-HJ-NP-Za-km-z]*', characters: 1.366, maxBytes: 2048 },
  examples: [{ title: 'The text form of a ciphertext', json: 'Base58' }],
  counterExamples: [{ title: 'Misspelt', json: 'Base57', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
