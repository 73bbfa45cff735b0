/** Registers when an actionable is due. The trigger `scheduled_work` starts it. */
import { asText, isObject } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';
import { scheduler } from '../../schedulers/kind.js';

export default defineRuntime(feature, {
  create({ resolve }) {
    const { settings } = resolve(scheduler, 'scheduler');
    return {
      plan({ value }) {
        const written = isObject(value['cron_job']) ? value['cron_job'] : {};
        const expression = asText(written['execution_interval']);
        const zone = asText(written['time_zone']) || settings.zone;
        return { steps: [], schedule: { expression, zone } };
      },
    };
  },
});
