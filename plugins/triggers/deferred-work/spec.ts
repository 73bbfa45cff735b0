/** Spec of the trigger `deferred_work`: jobs of a queue, and scheduled runs. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'trigger',
  name: 'deferred_work',
  since: '0.4.0',
  summary: 'Runs the deferred and scheduled parts of resources.',
  details:
    'A job contains only the values that its actionables read, and no secret of a result. Each step that has finished is noted, so ' +
    'another attempt does not repeat it.',
  facts: { parts: true, field: 'run_in_background' },
  examples: [{ title: 'Work after the response', json: true }],
  counterExamples: [{ title: 'Yes as text', json: 'yes', code: 'DEF_TYPE', at: '' }],
});
