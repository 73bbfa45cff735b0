/** Rejects every request of the resource before any guard runs. */
import { createFault } from '../../../contract/fault.js';
import { ResourcePhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';

/** Seconds. */
const RETRY_AFTER = '60';

const rejectRequest = (): never => {
  throw createFault('RES_MAINTENANCE', {}, { headers: { 'retry-after': RETRY_AFTER } });
};

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }) =>
      value['maintenance'] === true
        ? {
            steps: [{ id: 'maintenance', phase: ResourcePhase.ADMIT, order: -1000, run: rejectRequest }],
            guard: 'maintenance',
          }
        : { steps: [] },
  }),
});
