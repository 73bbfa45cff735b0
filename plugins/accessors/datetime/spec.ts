/** Spec of `$DATETIME`: the instant of the request. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'DATETIME',
  since: '0.1.0',
  summary: 'The time of the request, ISO 8601 in UTC with milliseconds. It is the same everywhere in one request.',
  facts: {
    tail: 'none',
    gives: 'timestamp',
    secret: false,
    reads: 'nothing',
    aliases: ['NOW', 'DATE', 'TIMESTAMP', 'TIME', 'TODAY', 'CURRENT_TIMESTAMP'],
  },
  openapi: () => ({ value: { type: 'string', format: 'date-time' } }),
  examples: [{ title: 'Now', json: '$DATETIME' }],
  counterExamples: [{ title: 'A name after the root', json: '$DATETIME.iso', code: 'ACC_TAIL', at: '' }],
});
