/** Spec of envelope `bare`: the response body is the result. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'envelope',
  name: 'bare',
  since: '0.1.0',
  summary: 'The body of a response is the result itself.',
  examples: [{ title: 'By name', json: 'bare' }],
  counterExamples: [{ title: 'Misspelt', json: 'bear', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
