/** Spec of `Base64Url`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'encoding',
  name: 'Base64Url',
  since: '0.3.0',
  summary: 'Base64url (RFC 4648): safe in URLs and file names, without padding.',
  details: 'Four characters for three bytes, none of which needs escaping in a URL.',
  facts: { pattern: '[A-Za-z0-9_-]*', characters: 4 / 3 },
  examples: [{ title: 'The text form of a ciphertext', json: 'Base64Url' }],
  counterExamples: [{ title: 'Misspelt', json: 'Base64URL', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
