/** Spec of `Ascon128a`. */
import { definePlugin } from '../../../contract/plugin.js';

export default definePlugin({
  kind: 'cipher',
  name: 'Ascon128a',
  since: '0.3.0',
  summary: 'Ascon-128a, version 1.2, made for small devices: a key of 16 bytes.',
  details:
    'This is the algorithm that won the CAESAR competition, not the later standard Ascon-AEAD128. The two are not ' +
    'compatible.',
  facts: { keyBytes: 16, nonceBytes: 16 },
  examples: [
    {
      title: 'With a key from the environment',
      json: { algorithm: 'Ascon128a', options: { key: '$ENV.EXAMPLE_KEY_16' } },
    },
    {
      title: 'Bound to its column, as hexadecimal digits',
      json: { algorithm: 'Ascon128a', options: { key: '$ENV.EXAMPLE_KEY_16', aad: 'customer.email', encoding: 'Hex' } },
    },
  ],
  counterExamples: [
    {
      title: 'A key of 32 bytes',
      json: {
        algorithm: 'Ascon128a',
        options: { key: 'hex:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' },
      },
      code: 'CPH_KEY',
      at: '/options/key',
    },
    {
      title: 'A fixed nonce',
      json: { algorithm: 'Ascon128a', options: { key: '$ENV.EXAMPLE_KEY_16', nonce: 'nnnnnnnnnnnnnnnn' } },
      code: 'CPH_NONCE',
      at: '/options/nonce',
    },
  ],
});
