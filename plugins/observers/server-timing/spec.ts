/** Spec of `server_timing`: adds durations of the response and its parts for browsers and curl. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'observer',
  name: 'server_timing',
  since: '0.3.0',
  summary: 'Puts the header `server-timing` on answers: milliseconds of the whole and of each actionable.',
  details: [
    'Chosen by default while definitions are written (`lintel dev`), and only then: how long a step takes is nobody’s',
    'business in production, and rows are no longer passed on as text while somebody looks at every answer.',
  ].join('\n'),
  facts: {},
  examples: [{ title: 'By name', json: { use: 'server_timing' } }],
  counterExamples: [
    { title: 'Unknown option', json: { use: 'server_timing', total: true }, code: 'DEF_UNKNOWN_KEY', at: '/total' },
  ],
});
