/** Spec of `PublicKeySignatureVerifier`: an RSA signature of the body; only the sender has the private key. */
import { definePlugin } from '../../../contract/plugin.js';
import { asText } from '../../../contract/json.js';
import type { ApiPlace } from '../../../contract/api.js';
import type { CheckPlace, Finding } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import { getVariableName } from '../../tokens/shared/keys.light.js';
import {
  checkPath,
  createHeaderField,
  pathField,
  createSettingField,
  describeHeaderScheme,
  describeSignedParts,
  verifierErrors,
} from '../shared/fields.light.js';

const formatSignatureDoc = (value: ApiPlace['value']): string =>
  `RSA signature (PKCS#1 v1.5 with SHA-256) of ${describeSignedParts(value)}, byte for byte, in Base64. Sent exactly once.`;

const PEM = { say: 'the key of the sender is `"public_key_pem": "$ENV.<NAME>"`', rename: 'public_key_pem' };
const HEADER_KEY = { say: 'the header is `"header_key": "$HEADER.<name>"`', rename: 'header_key' };

export default definePlugin({
  kind: 'verifier',
  name: 'PublicKeySignatureVerifier',
  since: '0.3.0',
  summary: 'The header contains an RSA signature of the body as it was received.',
  details:
    'PKCS#1 v1.5 with SHA-256, in Base64. The key is an RSA key of at least 2048 bits in PEM form; line breaks may be written ' +
    '`\\n`. Values in a path or a query string are signed where `path` says so.',
  schema: shape(
    {
      header_key: createHeaderField('Header with the signature.', '$HEADER.x-signature'),
      public_key_pem: createSettingField('The public key of the sender in PEM form.', {
        examples: ['$ENV.SENDER_PUBLIC_KEY'],
      }),
      path: pathField,
    },
    {
      mistaken: {
        sig_header: HEADER_KEY,
        header: HEADER_KEY,
        signature_header: HEADER_KEY,
        public_key: PEM,
        key: PEM,
        pem: PEM,
        secret_key: PEM,
      },
    },
  ),
  check: (place) => [...checkKey(place), ...checkPath(place)],
  openapi: (place) => describeHeaderScheme(place, 'header_key', formatSignatureDoc(place.value)),
  errors: verifierErrors,
  examples: [
    {
      title: 'A key in the environment',
      json: { header_key: '$HEADER.x-signature', public_key_pem: '$ENV.EXAMPLE_PEM' },
    },
  ],
  counterExamples: [
    {
      title: 'No PEM',
      json: { header_key: '$HEADER.x-signature', public_key_pem: 'sender.pem' },
      code: 'WHK_SETTING',
      at: '/public_key_pem',
    },
    {
      title: 'A key from the request',
      json: { header_key: '$HEADER.x-signature', public_key_pem: '$HEADER.x-key' },
      code: 'ACC_NOT_HERE',
      at: '/public_key_pem',
    },
  ],
});

/** A key in the environment is validated at load. */
function checkKey({ value, env }: CheckPlace): Finding[] {
  const text = asText(value['public_key_pem']);
  const name = getVariableName(text);
  const isPem = name === null ? text.includes('-----BEGIN ') : env(name)?.blank !== true;
  if (isPem) return [];
  const what = 'it is no key in PEM form, which begins with `-----BEGIN PUBLIC KEY-----`';
  const field = '`public_key_pem`';
  return [{ code: 'WHK_SETTING', at: '/public_key_pem', params: { field, place: 'this verifier', what } }];
}
