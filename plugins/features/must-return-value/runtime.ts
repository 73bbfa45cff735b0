/** Ends the request when an actionable gave nothing. */
import { fault } from '../../../kernel/contract/fault.js';
import { isObject } from '../../../kernel/contract/json.js';
import { ActionPhase } from '../../../kernel/contract/slot.js';
import { defineRuntime } from '../../../kernel/contract/plugin.js';
import { feature } from '../../kinds/feature.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }) => {
      if (value['must_return_value'] !== true) return { steps: [] };
      const written = isObject(value['on_empty']) ? value['on_empty'] : {};
      const options = {
        ...(typeof written['status'] === 'number' && { status: written['status'] }),
        ...(typeof written['message'] === 'string' && { message: written['message'] }),
      };
      return {
        presumes: true,
        steps: [
          {
            id: 'must_return_value',
            phase: ActionPhase.CONFIRM,
            run: (_frame, { result }) => {
              if (result === null || result === undefined || (Array.isArray(result) && result.length === 0)) {
                throw fault('ACT_NO_VALUE', {}, options);
              }
            },
          },
        ],
      };
    },
  }),
});
