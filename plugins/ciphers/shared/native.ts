/** Ciphers of the platform. Tags have 16 bytes. The caller must validate sizes. */
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject } from 'node:crypto';
import type { Cipher } from '../kind.js';
import { assertKey, enforceSizes, TAG_BYTES } from './enforce-sizes.js';

type Algorithm = 'aes-256-gcm' | 'chacha20-poly1305';
type Secret = KeyObject | Uint8Array;

/** Node's types have an overload for each algorithm; these share options. */
const NAMED = (algorithm: Algorithm): 'chacha20-poly1305' => algorithm as 'chacha20-poly1305';
const OPTIONS = { authTagLength: TAG_BYTES } as const;

/** Returns the ciphertext followed by its tag. */
export function sealNative(
  algorithm: Algorithm,
  key: Secret,
  nonce: Uint8Array,
  plain: Uint8Array,
  aad: Uint8Array,
): Uint8Array {
  const cipher = createCipheriv(NAMED(algorithm), key, nonce, OPTIONS);
  if (aad.length > 0) cipher.setAAD(aad, { plaintextLength: plain.length });
  const ciphertext = cipher.update(plain);
  cipher.final();
  return Buffer.concat([ciphertext, cipher.getAuthTag()], ciphertext.length + TAG_BYTES);
}

/** Null when authentication fails. */
export function openNative(
  algorithm: Algorithm,
  key: Secret,
  nonce: Uint8Array,
  sealed: Uint8Array,
  aad: Uint8Array,
): Uint8Array | null {
  const length = sealed.length - TAG_BYTES;
  const decipher = createDecipheriv(NAMED(algorithm), key, nonce, OPTIONS);
  if (aad.length > 0) decipher.setAAD(aad, { plaintextLength: length });
  decipher.setAuthTag(sealed.subarray(length));
  const plain = decipher.update(sealed.subarray(0, length));
  try {
    decipher.final();
  } catch {
    plain.fill(0);
    return null;
  }
  return plain;
}

const KEY_BYTES = 32;
const NONCE_BYTES = 12;

/** A platform algorithm with its key prepared once. */
export const createNativeCipher = (algorithm: Algorithm): Cipher => ({
  keyBytes: KEY_BYTES,
  nonceBytes: NONCE_BYTES,
  key: (bytes) => {
    assertKey(bytes, KEY_BYTES);
    const key = createSecretKey(bytes);
    return enforceSizes(NONCE_BYTES, {
      seal: (nonce, plain, aad) => sealNative(algorithm, key, nonce, plain, aad),
      open: (nonce, sealed, aad) => openNative(algorithm, key, nonce, sealed, aad),
    });
  },
});
