/** Sizes before anything else: a key, a nonce or a ciphertext of another size never reaches the algorithm. */
import type { SealingKey } from '../../kinds/cipher.js';

export const TAG_BYTES = 16;

/** Throws RangeError where a key has another size. */
export function assertKey(key: Uint8Array, bytes: number): void {
  if (key.length !== bytes) throw new RangeError(`a key of ${key.length} bytes, not ${bytes}`);
}

/** The same key with a guard before it: sealing under a nonce of another size throws, opening gives null. */
export function sized(nonceBytes: number, key: SealingKey): SealingKey {
  return {
    seal: (nonce, plain, aad) => {
      if (nonce.length !== nonceBytes) throw new RangeError(`a nonce of ${nonce.length} bytes, not ${nonceBytes}`);
      return key.seal(nonce, plain, aad);
    },
    open: (nonce, sealed, aad) =>
      nonce.length !== nonceBytes || sealed.length < TAG_BYTES ? null : key.open(nonce, sealed, aad),
  };
}
