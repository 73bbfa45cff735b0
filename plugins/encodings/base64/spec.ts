/** Spec of `Base64`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'encoding',
  name: 'Base64',
  since: '0.3.0',
  summary: 'Base64 (RFC 4648), with padding.',
  details: 'Four characters for three bytes. The default.',
  facts: { pattern: '(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?', characters: 4 / 3 },
  examples: [{ title: 'The text form of a ciphertext', json: 'Base64' }],
  counterExamples: [{ title: 'Misspelt', json: 'BASE64', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
