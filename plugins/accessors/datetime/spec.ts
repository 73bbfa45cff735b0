/** Spec of `$DATETIME`: the instant of the request. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'accessor',
  name: 'DATETIME',
  since: '0.1.0',
  summary: 'The instant of the request, ISO 8601 in UTC with milliseconds. The same wherever one request reads it.',
  facts: {
    tail: 'none',
    gives: 'timestamp',
    secret: false,
    reads: 'nothing',
    aliases: ['NOW', 'DATE', 'TIMESTAMP', 'TIME', 'TODAY', 'CURRENT_TIMESTAMP'],
  },
  openapi: () => ({ value: { type: 'string', format: 'date-time' } }),
  examples: [{ title: 'Now', json: '$DATETIME' }],
  counterExamples: [{ title: 'Nothing may follow', json: '$DATETIME.iso', code: 'ACC_TAIL', at: '' }],
});
