/** Spec of `KSUID`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'KSUID',
  since: '0.2.0',
  summary: 'A KSUID: 27 letters and digits; a time in seconds, then 128 random bits.',
  details: 'Sorts by the second; within one second the order is random. The time can be read from it.',
  facts: { length: 27, pattern: '[0-9A-Za][0-9A-Za-z]{26}', sortable: false, guessable: false },
  examples: [{ title: 'A random identifier with a time', json: '$GENERATOR.KSUID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.KSUUID', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
