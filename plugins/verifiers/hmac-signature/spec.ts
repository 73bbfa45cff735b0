/** Spec of `HmacSignatureVerifier`: a signature of the body with a shared secret. */
import { asText } from '../../../contract/json.js';
import type { ApiPlace } from '../../../contract/api.js';
import { definePlugin } from '../../../contract/plugin.js';
import { shape, text } from '../../../contract/combinators.js';
import {
  checkPath,
  checkSecret,
  createHeaderField,
  createFieldMistakes,
  pathField,
  secretField,
  describeHeaderScheme,
  describeSignedParts,
  verifierErrors,
} from '../shared/fields.light.js';
import { ALGORITHMS, DEFAULT_ALGORITHM } from './algorithms.light.js';

const formatSignatureDoc = (algorithm: string, value: ApiPlace['value']): string =>
  `HMAC (${algorithm}) of ${describeSignedParts(value)}, byte for byte: \`<hex>\` or \`${algorithm}=<hex>\`. Sent exactly once.`;

export default definePlugin({
  kind: 'verifier',
  name: 'HmacSignatureVerifier',
  since: '0.3.0',
  summary: 'The header contains the HMAC of the body as it was received.',
  details:
    'Two forms: `<hex>`, or `<algorithm>=<hex>` with the algorithm of the definition, with exactly as many digits as ' +
    'the hash has and nothing before or after. Values in a path or a query string are signed only if `path` says so; ' +
    'otherwise a request whose payload is in its URL is rejected. A signature of the body alone does not contain a ' +
    'time: write the definition so that it can handle the same event twice.',
  schema: shape(
    {
      sig_header: createHeaderField('Header with the signature.', '$HEADER.x-hub-signature-256'),
      secret_key: secretField,
      path: pathField,
      algorithm: text({ doc: 'The hash.', default: DEFAULT_ALGORITHM, examples: ['sha512'] }).oneOf(ALGORITHMS),
    },
    { mistaken: createFieldMistakes('sig_header', 'header_key') },
  ),
  check: (place) => [...checkSecret(place), ...checkPath(place)],
  openapi: (place) =>
    describeHeaderScheme(
      place,
      'sig_header',
      formatSignatureDoc(asText(place.value['algorithm'] ?? DEFAULT_ALGORITHM), place.value),
    ),
  errors: verifierErrors,
  examples: [
    {
      title: 'SHA-256, as most senders do it',
      json: { sig_header: '$HEADER.x-hub-signature-256', secret_key: '$ENV.EXAMPLE_KEY' },
    },
    {
      title: 'The path is signed too',
      json: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.EXAMPLE_KEY', path: 'signed' },
    },
    {
      title: 'SHA-512',
      json: { sig_header: '$HEADER.x-paystack-signature', secret_key: '$ENV.EXAMPLE_KEY', algorithm: 'sha512' },
    },
  ],
  counterExamples: [
    {
      title: 'A broken hash',
      json: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.EXAMPLE_KEY', algorithm: 'sha1' },
      code: 'DEF_VALUE',
      at: '/algorithm',
    },
    {
      title: 'A blank secret',
      json: { sig_header: '$HEADER.x-signature', secret_key: ' ' },
      code: 'WHK_SETTING',
      at: '/secret_key',
    },
    {
      title: 'A secret from the request',
      json: { sig_header: '$HEADER.x-signature', secret_key: '$HEADER.x-secret' },
      code: 'ACC_NOT_HERE',
      at: '/secret_key',
    },
  ],
});
