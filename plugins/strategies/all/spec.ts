/** Spec of `ALL`: every verifier must accept. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'strategy',
  name: 'ALL',
  since: '0.3.0',
  summary: 'Every verifier must accept the request.',
  examples: [{ title: 'Every verifier must accept the request', json: 'ALL' }],
  counterExamples: [{ title: 'Lower case', json: 'all', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
