/**
 * bcrypt on bytes: parses, creates and compares hashes in the thread pool. Must not depend on definitions or limit concurrency.
 */
import bcrypt from 'bcrypt';

/** bcrypt ignores further bytes. */
export const MAX_BYTES = 72;

/** `$2a$`, `$2b$` and `$2y$` are the same correct algorithm; `$2x$` marks hashes of a defective one. */
const HASH = /^\$2[aby]\$(0[4-9]|[12][0-9]|3[01])(\$[./A-Za-z0-9]{53})$/;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function parseCost(stored: string): number | null {
  const found = HASH.exec(stored);
  return found === null ? null : Number(found[1]);
}

const formatPrefix = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$`;

/** Encodes 16 bytes in bcrypt's alphabet: unpadded Base64 with another order of characters. */
const encodeSalt = (salt: Buffer): string =>
  salt
    .toString('base64')
    .replaceAll('=', '')
    .replace(/./g, (letter) => ALPHABET.charAt(BASE64.indexOf(letter)));

/** Rejects more than 72 bytes, which bcrypt would silently truncate. */
export function hashBytes(password: Buffer, cost: number, salt: Buffer): Promise<string> {
  if (password.length > MAX_BYTES) return Promise.reject(new RangeError(`more than ${MAX_BYTES} bytes`));
  return bcrypt.hash(password, formatPrefix(cost) + encodeSalt(salt));
}

/** False for invalid hashes and for more than 72 bytes. */
export async function verifyBytes(password: Buffer, stored: string): Promise<boolean> {
  const found = HASH.exec(stored);
  if (found === null || password.length > MAX_BYTES) return false;
  // The package does not accept `$2y$`.
  return bcrypt.compare(password, `$2b$${found[1]}${found[2]}`);
}

/** A well-formed hash of a cost, which takes as long to verify as any other of that cost. */
export const createBcryptDummy = (cost: number): string => `${formatPrefix(cost)}${'.'.repeat(22)}${'O'.repeat(30)}.`;
