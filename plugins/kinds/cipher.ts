/**
 * Kind `cipher`: authenticated encryption of bytes under a key, a nonce and additional data. Which fields, in which text
 * form and under which nonce is the business of the feature `ciphers`.
 */
import { isObject } from '../../kernel/contract/json.js';
import { defineKind } from '../../kernel/contract/kind.js';
import { inActionable } from './hosts.js';

/** One key, set up once. */
export interface SealingKey {
  /** Ciphertext with its tag. `aad` of no bytes is none. Throws RangeError for a nonce of another size. */
  seal(nonce: Uint8Array, plain: Uint8Array, aad: Uint8Array): Uint8Array;
  /** Null when key, nonce, additional data, any bit or any size is another. */
  open(nonce: Uint8Array, sealed: Uint8Array, aad: Uint8Array): Uint8Array | null;
}

export interface Cipher {
  readonly keyBytes: number;
  readonly nonceBytes: number;
  /** Throws RangeError for another size. */
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
    const host = inActionable({ payload_validation: [{ field: { email: { type: 'EMAIL' } } }], ciphers: [entry] });
    return { ...host, at: `${host.at}/ciphers/0` };
  },
});
