/** Fresh random bytes mixed with the definition's text, which alone would give equal passwords equal hashes. */
import { createHash, randomBytes } from 'node:crypto';

const BYTES = 16;

export const createSalt = (option: string): Buffer =>
  createHash('sha256').update(option, 'utf8').update(randomBytes(32)).digest().subarray(0, BYTES);
