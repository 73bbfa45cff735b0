/** Judges the text of a signature header against bytes: its form first, then the HMAC in constant time. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Algorithm } from './algorithms.light.js';

/** Characters of the hash in hex. */
const digitsOf = (algorithm: Algorithm): number => Number(algorithm.slice(3)) / 4;

/** Gives the signature as bytes, or null for any other form: a decoder would take half a digest without a word. */
export function signatureReader(algorithm: Algorithm): (header: string) => Buffer | null {
  const form = new RegExp(`^(?:${algorithm}=)?([0-9a-fA-F]{${digitsOf(algorithm)}})$`);
  return (header) => {
    const digits = form.exec(header)?.[1];
    return digits === undefined ? null : Buffer.from(digits, 'hex');
  };
}

export function isSigned(algorithm: Algorithm, key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return timingSafeEqual(createHmac(algorithm, key).update(bytes).digest(), signature);
}
