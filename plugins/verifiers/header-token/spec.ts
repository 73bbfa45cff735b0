/** Spec of `HeaderTokenVerifier`: a header that must equal a secret. */
import { definePlugin } from '../../../contract/plugin.js';
import { shape } from '../../../contract/combinators.js';
import {
  checkSecret,
  createHeaderField,
  createFieldMistakes,
  secretField,
  describeHeaderScheme,
  verifierErrors,
} from '../shared/fields.light.js';

export default definePlugin({
  kind: 'verifier',
  name: 'HeaderTokenVerifier',
  since: '0.3.0',
  summary: 'The header contains a shared secret.',
  details:
    'The body is not signed: a client that has seen one request can send others. Prefer a signature if the sender ' +
    'supports it.',
  schema: shape(
    {
      header_key: createHeaderField('Header with the secret.', '$HEADER.x-webhook-token'),
      secret_key: secretField,
    },
    { mistaken: createFieldMistakes('header_key', 'sig_header') },
  ),
  check: checkSecret,
  openapi: (place) => describeHeaderScheme(place, 'header_key', 'The secret that both sides know. Sent exactly once.'),
  errors: verifierErrors,
  examples: [{ title: 'A token', json: { header_key: '$HEADER.x-webhook-token', secret_key: '$ENV.EXAMPLE_KEY' } }],
  counterExamples: [
    {
      title: 'A header without its accessor',
      json: { header_key: 'x-webhook-token', secret_key: '$ENV.EXAMPLE_KEY' },
      code: 'DEF_FORMAT',
      at: '/header_key',
    },
    {
      title: 'The address of the client instead of a header',
      json: { header_key: '$HEADER.ip', secret_key: '$ENV.EXAMPLE_KEY' },
      code: 'DEF_FORMAT',
      at: '/header_key',
    },
    { title: 'No secret', json: { header_key: '$HEADER.x-webhook-token' }, code: 'DEF_REQUIRED', at: '' },
    {
      title: 'A known sample secret',
      json: { header_key: '$HEADER.x-webhook-token', secret_key: 'changeme' },
      code: 'SEC_SAMPLE',
      at: '/secret_key',
    },
  ],
});
