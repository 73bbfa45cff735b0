/** Kind `encoding`: a text form of bytes, with one spelling each. */
import { defineKind } from '../../contract/kind.js';
import { wrapInActionable } from '../shared/examples.light.js';

export interface Encoding {
  /** Maximum bytes; null: unlimited. `encode` throws RangeError beyond. */
  readonly most: number | null;
  encode(bytes: Uint8Array): string;
  /** Null for text that `encode` would not produce. */
  decode(text: string): Uint8Array | null;
}

export const encoding = defineKind<Encoding>({
  kind: 'encoding',
  title: 'Encoding',
  summary: 'The text form of an encrypted value.',
  slots: [],
  select: { by: 'name' },
  facts: {
    characters: { doc: 'Minimum number of characters for each byte.', type: 'number', required: true },
    maxBytes: { doc: 'Maximum number of bytes; absent: no limit.', type: 'number', required: false },
    pattern: { doc: 'Regular expression that matches every encoded text as a whole.', type: 'string', required: true },
  },
  handle: ['encode', 'decode'],
  host: (fragment) => {
    const options = { key: '$ENV.EXAMPLE_KEY', encoding: fragment };
    const entry = { operation: 'Encrypt', properties: ['email'], algorithm: 'XChaCha20Poly1305', options };
    const host = wrapInActionable({ payload_validation: [{ field: { email: { type: 'EMAIL' } } }], ciphers: [entry] });
    return { ...host, at: `${host.at}/ciphers/0/options/encoding` };
  },
});
