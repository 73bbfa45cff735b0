/**
 * Derives a key with HChaCha20 from 16 nonce bytes, then uses the platform's ChaCha20-Poly1305, which is several
 * times faster than JavaScript.
 */
import { hchacha } from '@noble/ciphers/chacha.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { cipher, type Cipher } from '../kind.js';
import { openNative, sealNative } from '../shared/native.js';
import { assertKey, enforceSizes } from '../shared/enforce-sizes.js';

const KEY_BYTES = 32;
const NONCE_BYTES = 24;
/** Nonce bytes used to derive the key. */
const INTO_KEY = 16;

export const xchacha20Poly1305: Cipher = {
  keyBytes: KEY_BYTES,
  nonceBytes: NONCE_BYTES,
  key: (bytes) => {
    assertKey(bytes, KEY_BYTES);
    const words = bytesToWords(bytes);
    const deriveSubkey = (nonce: Uint8Array): Uint8Array => {
      const out = new Uint32Array(KEY_BYTES / 4);
      hchacha(SIGMA, words, bytesToWords(nonce.subarray(0, INTO_KEY)), out);
      return wordsToBytes(out);
    };
    return enforceSizes(NONCE_BYTES, {
      seal: (nonce, plain, aad) => sealNative('chacha20-poly1305', deriveSubkey(nonce), padNonce(nonce), plain, aad),
      open: (nonce, sealed, aad) => openNative('chacha20-poly1305', deriveSubkey(nonce), padNonce(nonce), sealed, aad),
    });
  },
};

/** Four zero bytes, then the last eight bytes of the nonce. */
function padNonce(nonce: Uint8Array): Uint8Array {
  const out = new Uint8Array(12);
  out.set(nonce.subarray(INTO_KEY), 4);
  return out;
}

export default defineRuntime(cipher, { create: () => xchacha20Poly1305 });

/** `expand 32-byte k`, the constant of Salsa20 and ChaCha20. */
const SIGMA = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

/** Little-endian, independent of the machine. */
function bytesToWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

function wordsToBytes(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => view.setUint32(4 * i, word, true));
  return bytes;
}
