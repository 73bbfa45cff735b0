/** Spec of `Aes256Gcm`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'cipher',
  name: 'Aes256Gcm',
  since: '0.3.0',
  summary: 'AES-256-GCM: fast on every processor with AES instructions.',
  details:
    'Nonces are random. Encrypt fewer than 2^32 (about four billion) values with one key; XChaCha20Poly1305 has no ' +
    'such limit.',
  facts: { keyBytes: 32, nonceBytes: 12 },
  examples: [
    {
      title: 'With a key from the environment',
      json: { algorithm: 'Aes256Gcm', options: { key: '$ENV.EXAMPLE_KEY' } },
    },
    {
      title: 'Bound to its column, as hexadecimal digits',
      json: { algorithm: 'Aes256Gcm', options: { key: '$ENV.EXAMPLE_KEY', aad: 'customer.email', encoding: 'Hex' } },
    },
  ],
  counterExamples: [
    {
      title: 'A key of 16 bytes',
      json: { algorithm: 'Aes256Gcm', options: { key: 'hex:000102030405060708090a0b0c0d0e0f' } },
      code: 'CPH_KEY',
      at: '/options/key',
    },
    {
      title: 'A fixed nonce',
      json: { algorithm: 'Aes256Gcm', options: { key: '$ENV.EXAMPLE_KEY', nonce: 'nnnnnnnnnnnn' } },
      code: 'CPH_NONCE',
      at: '/options/nonce',
    },
  ],
});
