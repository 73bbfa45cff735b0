/** Spec of `XChaCha20Poly1305`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'cipher',
  name: 'XChaCha20Poly1305',
  since: '0.3.0',
  summary: 'ChaCha20-Poly1305 with nonces of 24 bytes, so that random nonces do not repeat.',
  details: 'The recommended algorithm: one key can encrypt any number of values.',
  facts: { keyBytes: 32, nonceBytes: 24 },
  examples: [
    {
      title: 'With a key from the environment',
      json: { algorithm: 'XChaCha20Poly1305', options: { key: '$ENV.EXAMPLE_KEY' } },
    },
    {
      title: 'Bound to its column, as hexadecimal digits',
      json: {
        algorithm: 'XChaCha20Poly1305',
        options: { key: '$ENV.EXAMPLE_KEY', aad: 'customer.email', encoding: 'Hex' },
      },
    },
  ],
  counterExamples: [
    {
      title: 'A key of 16 bytes',
      json: { algorithm: 'XChaCha20Poly1305', options: { key: 'hex:000102030405060708090a0b0c0d0e0f' } },
      code: 'CPH_KEY',
      at: '/options/key',
    },
    {
      title: 'A fixed nonce',
      json: { algorithm: 'XChaCha20Poly1305', options: { key: '$ENV.EXAMPLE_KEY', nonce: 'nnnnnnnnnnnnnnnnnnnnnnnn' } },
      code: 'CPH_NONCE',
      at: '/options/nonce',
    },
  ],
});
