/**
 * The salt of a hash: fresh random bytes, mixed with what a definition says. With the definition's text alone, equal
 * passwords would have equal hashes; with the mix nothing but the hash is needed to verify.
 */
import { createHash, randomBytes } from 'node:crypto';

const BYTES = 16;

export const freshSalt = (option: string): Buffer =>
  createHash('sha256').update(option, 'utf8').update(randomBytes(32)).digest().subarray(0, BYTES);
