/** Spec of `Base32`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'encoding',
  name: 'Base32',
  since: '0.3.0',
  summary: 'Base32 (RFC 4648): upper case, with padding.',
  details: 'Eight characters for five bytes. For systems that ignore case.',
  facts: {
    pattern: '(?:[A-Z2-7]{8})*(?:[A-Z2-7]{2}={6}|[A-Z2-7]{4}={4}|[A-Z2-7]{5}={3}|[A-Z2-7]{7}=)?',
    characters: 8 / 5,
  },
  examples: [{ title: 'The text form of a ciphertext', json: 'Base32' }],
  counterExamples: [{ title: 'Misspelt', json: 'Base-32', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
