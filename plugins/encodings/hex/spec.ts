/** Spec of `Hex`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'encoding',
  name: 'Hex',
  since: '0.3.0',
  summary: 'Lower-case hexadecimal digits.',
  details: 'Two characters for each byte.',
  facts: { pattern: '(?:[0-9a-f]{2})*', characters: 2 },
  examples: [{ title: 'The text form of a ciphertext', json: 'Hex' }],
  counterExamples: [{ title: 'Misspelt', json: 'Hexadecimal', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
