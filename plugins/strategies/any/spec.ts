/** Spec of `ANY`: one accepting verifier suffices. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'strategy',
  name: 'ANY',
  since: '0.3.0',
  summary: 'One verifier that lets the request pass is enough.',
  facts: { enough: 'one' },
  examples: [{ title: 'One verifier that lets the request pass is enough', json: 'ANY' }],
  counterExamples: [{ title: 'Lower case', json: 'any', code: 'DEF_UNKNOWN_PLUGIN', at: '' }],
});
