/** Spec of `DateTime`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'field-type',
  name: 'DateTime',
  aliases: ['TIMESTAMP', 'TIMESTAMPTZ', 'DATE', 'TIME'],
  since: '0.1.0',
  summary: 'A time; returned as ISO 8601 in UTC.',
  facts: { column: 'timestamp' },
  examples: [{ title: 'A field', json: { type: 'DateTime' } }],
  counterExamples: [
    { title: 'Unknown option', json: { type: 'DateTime', size: 4 }, code: 'DEF_UNKNOWN_KEY', at: '/size' },
  ],
});
