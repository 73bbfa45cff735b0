/** Spec of `IpAllowListVerifier`: the sender's address must be in a list. */
import { asText } from '../../../contract/json.js';
import { definePlugin, type CheckPlace, type Finding } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { getVariableName } from '../../tokens/shared/keys.light.js';
import { createSettingField, verifierErrors } from '../shared/fields.light.js';
import { splitEntries, isAddressLike } from './entries.light.js';

const IPS = { say: 'the addresses are listed in `"allowed_ips"`', rename: 'allowed_ips' };

export default definePlugin({
  kind: 'verifier',
  name: 'IpAllowListVerifier',
  since: '0.3.0',
  summary: 'The address of the sender is in a list.',
  details:
    'Addresses and ranges (CIDR) of IPv4 and IPv6, separated by commas or pipes. The address is that of the ' +
    'connection, or the one that the trusted proxies (`http.trusted_proxies` in the config) report.',
  schema: shape({
    allowed_ips: createSettingField('Addresses and ranges, separated by commas or pipes.', {
      examples: ['$ENV.SENDER_IPS'],
      form: '"192.0.2.7, 198.51.100.0/24"',
    }),
  }).meta({ doc: 'The addresses.', mistaken: { ips: IPS, ip: IPS, addresses: IPS, whitelist: IPS, allow_list: IPS } }),
  check,
  openapi: () => ({ notes: ['Only senders at addresses that are listed get in without another proof.'] }),
  errors: verifierErrors,
  examples: [
    { title: 'A list in the environment', json: { allowed_ips: '$ENV.EXAMPLE_IPS' } },
    { title: 'A constant list', json: { allowed_ips: '127.0.0.1, ::1 | 10.0.0.0/8' } },
  ],
  counterExamples: [
    { title: 'An empty list', json: { allowed_ips: ' , | ' }, code: 'WHK_SETTING', at: '/allowed_ips' },
    {
      title: 'A name instead of an address',
      json: { allowed_ips: '127.0.0.1, hooks.example.com' },
      code: 'WHK_SETTING',
      at: '/allowed_ips',
    },
  ],
});

/** A list in the environment is validated at load. */
function check({ value }: CheckPlace): Finding[] {
  const text = asText(value['allowed_ips']);
  if (getVariableName(text) !== null) return [];
  const entries = splitEntries(text);
  const wrong = entries.find((entry) => !isAddressLike(entry));
  if (entries.length > 0 && wrong === undefined) return [];
  const what = wrong === undefined ? 'it names no address' : `"${wrong}" is no address and no range`;
  const field = '`allowed_ips`';
  return [{ code: 'WHK_SETTING', at: '/allowed_ips', params: { field, place: 'this verifier', what } }];
}
