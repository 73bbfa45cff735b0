/** Kind `cipher`: authenticated encryption of bytes. The feature `ciphers` selects fields, encodings and nonces. */
import { isObject } from '../../contract/json.js';
import { defineKind } from '../../contract/kind.js';
import { wrapInActionable } from '../shared/examples.light.js';

export interface SealingKey {
  /** Ciphertext and tag; empty `aad` counts as none. Throws RangeError for a nonce of another size. */
  seal(nonce: Uint8Array, plain: Uint8Array, aad: Uint8Array): Uint8Array;
  /** Returns null when authentication fails or any size differs. */
  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array | null;
}

export interface Cipher {
  readonly keyBytes: number;
  readonly nonceBytes: number;
  key(bytes: Uint8Array): SealingKey;
}

export const cipher = defineKind<Cipher>({
  kind: 'cipher',
  title: 'Cipher',
  summary: 'The algorithm that encrypts a field.',
  slots: ['ciphers.item'],
  select: { by: 'field', field: 'algorithm' },
  facts: {
    keyBytes: { doc: 'Bytes of a key.', type: 'number', required: true },
    nonceBytes: { doc: 'Bytes of a nonce.', type: 'number', required: true },
  },
  handle: ['key'],
  host: (fragment) => {
    const entry = { operation: 'Encrypt', properties: ['email'], ...(isObject(fragment) ? fragment : {}) };
    const host = wrapInActionable({ payload_validation: [{ field: { email: { type: 'EMAIL' } } }], ciphers: [entry] });
    return { ...host, at: `${host.at}/ciphers/0` };
  },
});
