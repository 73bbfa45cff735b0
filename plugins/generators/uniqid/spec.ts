/** Spec of `UNIQID`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'UNIQID',
  since: '0.2.0',
  summary:
    'An identifier from the time: 18 lower-case letters and digits; nine of the millisecond, nine of the process.',
  details:
    'Sorts by time. The part of the process is random, so it reveals neither the address nor the process number of ' +
    'the machine. Each identifier can be derived from the previous one: never use it as a secret.',
  facts: { length: 18, pattern: '[0-9a-z]{18}', sortable: true, guessable: true },
  examples: [{ title: 'An identifier from the time', json: '$GENERATOR.UNIQID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.UNIQUID', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
