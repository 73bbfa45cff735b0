/** Kind `encoding`: a text form of bytes. Each value has exactly one spelling: what is spelt otherwise is refused. */
import { defineKind } from '../../kernel/contract/kind.js';
import { inActionable } from './hosts.js';

export interface Encoding {
  encode(bytes: Uint8Array): string;
  /** Null for text that `encode` would not have given. */
  decode(text: string): Uint8Array | null;
}

export const encoding = defineKind<Encoding>({
  kind: 'encoding',
  title: 'Encoding',
  summary: 'The text form of an encrypted value.',
  slots: [],
  select: { by: 'name' },
  facts: {
    pattern: { doc: 'Regular expression that every encoded text matches, whole.', type: 'string', required: true },
  },
  handle: ['encode', 'decode'],
  host: (fragment) => {
    const options = { key: '$ENV.EXAMPLE_KEY_32', encoding: fragment };
    const entry = { operation: 'Encrypt', properties: ['email'], algorithm: 'XChaCha20Poly1305', options };
    const host = inActionable({ payload_validation: [{ field: { email: { type: 'EMAIL' } } }], ciphers: [entry] });
    return { ...host, at: `${host.at}/ciphers/0/options/encoding` };
  },
});
