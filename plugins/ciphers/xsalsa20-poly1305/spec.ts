/** Spec of `XSalsa20Poly1305`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'cipher',
  name: 'XSalsa20Poly1305',
  since: '0.3.0',
  summary: 'XSalsa20-Poly1305, the secretbox of NaCl.',
  details:
    'The algorithm has no additional data of its own: with `aad`, the key is HMAC-SHA-256 of the key over a label and ' +
    'the data. The tag is before the ciphertext. One key can encrypt any number of values.',
  facts: { keyBytes: 32, nonceBytes: 24 },
  examples: [
    {
      title: 'With a key from the environment',
      json: { algorithm: 'XSalsa20Poly1305', options: { key: '$ENV.EXAMPLE_KEY' } },
    },
    {
      title: 'Bound to its column, as hexadecimal digits',
      json: {
        algorithm: 'XSalsa20Poly1305',
        options: { key: '$ENV.EXAMPLE_KEY', aad: 'customer.email', encoding: 'Hex' },
      },
    },
  ],
  counterExamples: [
    {
      title: 'A key of 16 bytes',
      json: { algorithm: 'XSalsa20Poly1305', options: { key: 'hex:000102030405060708090a0b0c0d0e0f' } },
      code: 'CPH_KEY',
      at: '/options/key',
    },
    {
      title: 'A fixed nonce',
      json: { algorithm: 'XSalsa20Poly1305', options: { key: '$ENV.EXAMPLE_KEY', nonce: 'nnnnnnnnnnnnnnnnnnnnnnnn' } },
      code: 'CPH_NONCE',
      at: '/options/nonce',
    },
  ],
});
