/** `url.guard`: what may be called; `string.header`: what a value becomes in a header of a call. */
import { isObject } from '../../contract/json.js';
import { policyOf, refuseUrl } from '../../plugins/modes/http-request/guard.js';
import { headerSafe } from '../../plugins/modes/http-request/message.js';
import { textOf, type Ops } from './ops.js';

const listOf = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : []);

export const ops: Ops = {
  'url.guard': (input) => {
    const written = isObject(input['policy']) ? input['policy'] : {};
    const policy = policyOf({ allow: listOf(written['allow']), ports: listOf(written['ports']) });
    const reason = refuseUrl(textOf(input, 'url'), listOf(input['addresses']), policy);
    return reason === null ? { ok: true } : { ok: false, error: reason };
  },
  'string.header': (input) => ({
    ok: true,
    out: headerSafe(textOf(input, 'text'), {
      refuse: (what) => {
        throw new Error(what);
      },
    }),
  }),
};
