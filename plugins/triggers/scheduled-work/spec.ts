/** Spec of the trigger `scheduled_work`: starts scheduled work at its instants. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'trigger',
  name: 'scheduled_work',
  since: '0.4.0',
  summary: 'Starts each scheduled run at its instant, in one of all processes.',
  facts: { field: 'cron_job' },
  requires: ['scheduler:*'],
  examples: [{ title: 'Every night at three', json: { execution_interval: '0 0 3 * * *' } }],
  counterExamples: [{ title: 'No schedule', json: {}, code: 'DEF_REQUIRED', at: '' }],
});
