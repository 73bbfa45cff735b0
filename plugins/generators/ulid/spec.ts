/** Spec of `ULID`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'ULID',
  since: '0.1.0',
  summary: 'A ULID: 26 characters; sorts by the time of creation, also within one millisecond.',
  details: 'Within one millisecond, each identifier is the previous one plus one: never use it as a secret.',
  facts: { length: 26, pattern: '[0-7][0-9A-HJKMNP-TV-Z]{25}', sortable: true, guessable: true },
  examples: [{ title: 'A sortable identifier', json: '$GENERATOR.ULID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.ULI', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
