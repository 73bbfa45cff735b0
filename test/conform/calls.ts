/** `url.guard`: allowed addresses; `string.header`: a value in a header of a call. */
import { isIP } from 'node:net';
import { isObject } from '../../contract/json.js';
import {
  createPolicy,
  findAddressRejection,
  findHostRejection,
  getHostAndPort,
  type Policy,
} from '../../plugins/modes/http-request/guard.js';
import { toHeaderValue } from '../../plugins/modes/http-request/message.js';
import { readTextInput, type Ops } from './ops.js';

const toArray = <T>(value: unknown): readonly T[] => (Array.isArray(value) ? (value as readonly T[]) : []);

/** A URL with the addresses its host resolved to; null: it may be called. */
function findUrlRejection(text: string, addresses: readonly string[], policy: Policy): string | null {
  if (!URL.canParse(text)) return 'not a URL';
  const url = new URL(text);
  const { protocol, username, password } = url;
  if (protocol !== 'http:' && protocol !== 'https:') return 'scheme';
  if (username !== '' || password !== '') return 'credentials';
  const { host, port } = getHostAndPort(url);
  const reason = findHostRejection(host, port, policy);
  if (reason !== null || isIP(host) !== 0) return reason;
  // One forbidden address among several makes the name invalid.
  const reasons = addresses.map((address) => findAddressRejection(address, host, port, policy));
  return addresses.length === 0 ? 'unresolved' : (reasons.find((one) => one !== null) ?? null);
}

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
