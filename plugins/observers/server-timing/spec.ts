/** Adds durations of the response and its parts. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'observer',
  name: 'server_timing',
  since: '0.3.0',
  summary: 'Adds the header `server-timing` to responses: milliseconds of the request and of each actionable.',
  details:
    'Active by default only in `lintel dev`. In production it would reveal how long each step takes, and rows could ' +
    'not be passed on as text while each response is observed.',
  facts: {},
  examples: [{ title: 'By name', json: { use: 'server_timing' } }],
  counterExamples: [
    { title: 'Unknown option', json: { use: 'server_timing', total: true }, code: 'DEF_UNKNOWN_KEY', at: '/total' },
  ],
});
