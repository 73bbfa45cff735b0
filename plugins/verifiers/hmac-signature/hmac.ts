/** Verifies HMAC signature headers: first the form, then the digest in constant time. */
import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import type { Algorithm } from './algorithms.light.js';

const getHexLength = (algorithm: Algorithm): number => Number(algorithm.slice(3)) / 4;

/** Returns the signature bytes, or null for any other form; a lenient decoder would silently accept half a digest. */
export function createSignatureReader(algorithm: Algorithm): (header: string) => Buffer | null {
  const form = new RegExp(`^(?:${algorithm}=)?([0-9a-fA-F]{${getHexLength(algorithm)}})$`);
  return (header) => {
    const digits = form.exec(header)?.[1];
    return digits === undefined ? null : Buffer.from(digits, 'hex');
  };
}

export function isSigned(algorithm: Algorithm, key: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return timingSafeEqual(createHmac(algorithm, key).update(bytes).digest(), signature);
}
