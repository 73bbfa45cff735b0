/** Rejects or stops the request when an actionable returns nothing. */
import { RawJson } from '../../../contract/raw-json.js';
import { FinalResult } from '../../../contract/reply.js';
import { createFault } from '../../../contract/fault.js';
import { isObject } from '../../../contract/json.js';
import { ActionPhase } from '../../../contract/slot.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { feature } from '../kind.js';

export default defineRuntime(feature, {
  create: () => ({
    plan: ({ value }) => {
      if (value['must_return_value'] !== true) return { steps: [] };
      const written = isObject(value['on_empty']) ? value['on_empty'] : {};
      const stops = written['stop'] === true;
      const options = {
        ...(typeof written['status'] === 'number' && { status: written['status'] }),
        ...(typeof written['message'] === 'string' && { message: written['message'] }),
      };
      return {
        ...(!stops && { presumes: true as const }),
        steps: [
          {
            id: 'must_return_value',
            phase: ActionPhase.CONFIRM,
            ...(!stops && { onlyEmpty: true as const, takesText: true as const }),
            run: (frame, { result }) => {
              if (!isEmpty(result)) return;
              if (!stops) throw createFault('ACT_NO_VALUE', {}, options);
              frame.stopped = true;
              // An empty result is neither shaped nor cached.
              return new FinalResult(result);
            },
          },
        ],
      };
    },
  }),
});

/** Bytes of `null`; `[]` has fewer. */
const LONGEST_EMPTY = 4;

const isEmpty = (result: unknown): boolean =>
  result instanceof RawJson
    ? result.json.length <= LONGEST_EMPTY && isEmpty(result.toJSON())
    : result === null || result === undefined || (Array.isArray(result) && result.length === 0);
