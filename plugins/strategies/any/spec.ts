/** Spec of `ANY`: one accepting verifier suffices. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'strategy',
  name: 'ANY',
  since: '0.3.0',
  summary: 'At least one verifier must accept the request.',
  facts: { enough: 'one' },
  examples: [{ title: 'At least one verifier must accept the request', json: 'ANY' }],
  counterExamples: [{ title: 'Lower case', json: 'any', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
