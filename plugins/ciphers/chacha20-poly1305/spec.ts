/** Spec of `ChaCha20Poly1305`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'cipher',
  name: 'ChaCha20Poly1305',
  since: '0.3.0',
  summary: 'ChaCha20-Poly1305 (RFC 8439): also fast on processors without AES instructions.',
  details:
    'Nonces are random. Encrypt fewer than 2^32 (about four billion) values with one key; XChaCha20Poly1305 has no ' +
    'such limit.',
  facts: { keyBytes: 32, nonceBytes: 12 },
  examples: [
    {
      title: 'With a key from the environment',
      json: { algorithm: 'ChaCha20Poly1305', options: { key: '$ENV.EXAMPLE_KEY' } },
    },
    {
      title: 'Bound to its column, as hexadecimal digits',
      json: {
        algorithm: 'ChaCha20Poly1305',
        options: { key: '$ENV.EXAMPLE_KEY', aad: 'customer.email', encoding: 'Hex' },
      },
    },
  ],
  counterExamples: [
    {
      title: 'A key of 16 bytes',
      json: { algorithm: 'ChaCha20Poly1305', options: { key: 'hex:000102030405060708090a0b0c0d0e0f' } },
      code: 'CPH_KEY',
      at: '/options/key',
    },
    {
      title: 'A fixed nonce',
      json: { algorithm: 'ChaCha20Poly1305', options: { key: '$ENV.EXAMPLE_KEY', nonce: 'nnnnnnnnnnnn' } },
      code: 'CPH_NONCE',
      at: '/options/nonce',
    },
  ],
});
