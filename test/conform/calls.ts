/** `url.guard`: what may be called; `string.header`: what a value becomes in a header of a call. */
import { isObject } from '../../contract/json.js';
import { createPolicy, findUrlRejection } from '../../plugins/modes/http-request/guard.js';
import { toHeaderValue } from '../../plugins/modes/http-request/message.js';
import { readTextInput, type Ops } from './ops.js';

const toArray = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : []);

export const ops: Ops = {
  'url.guard': (input) => {
    const written = isObject(input['policy']) ? input['policy'] : {};
    const policy = createPolicy({ allow: toArray(written['allow']), ports: toArray(written['ports']) });
    const reason = findUrlRejection(readTextInput(input, 'url'), toArray(input['addresses']), policy);
    return reason === null ? { ok: true } : { ok: false, error: reason };
  },
  'string.header': (input) => ({
    ok: true,
    out: toHeaderValue(readTextInput(input, 'text'), {
      rejectValue: (what) => {
        throw new Error(what);
      },
    }),
  }),
};
