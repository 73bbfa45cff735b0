/** Spec of `CUID`, version 1. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'generator',
  name: 'CUID',
  since: '0.2.0',
  summary: 'A CUID, version 1: `c` and 24 lower-case letters and digits; time, counter, process, randomness.',
  details:
    'Sorts by time. For data that already has such identifiers: its authors replaced it by CUID2. Only 41 of its bits ' +
    'are random: never use it as a secret.',
  facts: { length: 25, pattern: 'c[0-9a-z]{24}', sortable: true, guessable: true },
  examples: [{ title: 'A sortable identifier', json: '$GENERATOR.CUID' }],
  counterExamples: [{ title: 'Misspelt', json: '$GENERATOR.CUIDD', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
