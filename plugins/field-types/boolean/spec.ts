/** Spec of `Boolean`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'field-type',
  name: 'Boolean',
  aliases: ['BOOL', 'BIT'],
  since: '0.1.0',
  summary: 'True or false.',
  facts: { column: 'boolean' },
  examples: [{ title: 'A boolean', json: { type: 'Boolean' } }],
  counterExamples: [
    { title: 'Unknown option', json: { type: 'Boolean', size: 4 }, code: 'DEF_UNKNOWN_KEY', at: '/size' },
  ],
});
