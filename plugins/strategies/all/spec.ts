/** Spec of `ALL`: every verifier must accept. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'strategy',
  name: 'ALL',
  since: '0.3.0',
  summary: 'Every verifier has to let the request pass.',
  examples: [{ title: 'Every verifier has to let the request pass', json: 'ALL' }],
  counterExamples: [{ title: 'Lower case', json: 'all', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
