/** Converts bytes to little-endian 32-bit words and back, independent of the machine's byte order. */

/** `expand 32-byte k`, the constant of Salsa20 and ChaCha20. */
export const SIGMA = Uint32Array.of(0x61707865, 0x3320646e, 0x79622d32, 0x6b206574);

export function bytesToWords(bytes: Uint8Array): Uint32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return Uint32Array.from({ length: bytes.length / 4 }, (_, i) => view.getUint32(4 * i, true));
}

export function wordsToBytes(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(4 * words.length);
  const view = new DataView(bytes.buffer);
  words.forEach((word, i) => view.setUint32(4 * i, word, true));
  return bytes;
}
