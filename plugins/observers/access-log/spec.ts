/** `access_log`: one line for each request. */
import { definePlugin } from '../../../kernel/contract/plugin.js';

export default definePlugin({
  kind: 'observer',
  name: 'access_log',
  since: '0.3.0',
  summary: 'Logs one line for each request: id, resource, verb, status, code of a problem, milliseconds.',
  details: 'At level info. No value of a request is in it: no header, no address, no part of a body.',
  facts: {},
  examples: [{ title: 'By name', json: { use: 'access_log' } }],
  counterExamples: [
    { title: 'Unknown option', json: { use: 'access_log', level: 'debug' }, code: 'DEF_UNKNOWN_KEY', at: '/level' },
  ],
});
