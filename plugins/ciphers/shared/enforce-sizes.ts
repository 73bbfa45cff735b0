/** No key, nonce or ciphertext of another size reaches an algorithm. */
import type { SealingKey } from '../kind.js';

export const TAG_BYTES = 16;

/** Throws RangeError for a key of another size. */
export function assertKey(key: Uint8Array, bytes: number): void {
  if (key.length !== bytes) throw new RangeError(`a key of ${key.length} bytes, not ${bytes}`);
}

/** With a nonce of another size, sealing throws, opening returns null. */
export function enforceSizes(nonceBytes: number, key: SealingKey): SealingKey {
  return {
    seal: (nonce, plain, aad) => {
      if (nonce.length !== nonceBytes) throw new RangeError(`a nonce of ${nonce.length} bytes, not ${nonceBytes}`);
      return key.seal(nonce, plain, aad);
    },
    open: (nonce, sealed, aad) =>
      nonce.length !== nonceBytes || sealed.length < TAG_BYTES ? null : key.open(nonce, sealed, aad),
  };
}
