/** Hashes and verifies text with bcrypt, within the concurrency limit of all hashers. */
import type { Json } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { hasher, type Hasher } from '../kind.js';
import { hashLimiter } from '../shared/hash-limiter.js';
import { createSalt } from '../shared/salt.js';
import { createHashVerifier } from '../shared/hash-verifier.js';
import bcrypt from 'bcrypt';

const DEFAULT_COST = 12;
/**
 * Upper bound of stored costs (seconds of work), unless a definition uses higher ones: each failure costs as much as
 * the last verified hash.
 */
const DEAREST = 16;

const toUtf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const readCost = (json: Json | undefined): number => (typeof json === 'number' ? json : DEFAULT_COST);

export default defineRuntime(hasher, { create });

function create(): Hasher {
  let currentCost = DEFAULT_COST;
  let dearest = DEAREST;
  const checkText: Hasher['checkText'] = (text) =>
    Buffer.byteLength(text, 'utf8') <= MAX_BYTES
      ? null
      : { code: 'max_bytes', detail: `must have at most ${MAX_BYTES} bytes in UTF-8` };
  const read = (stored: string): number | null => {
    const cost = parseCost(stored);
    return cost !== null && cost <= dearest ? cost : null;
  };
  const compare = (text: string, stored: string): Promise<boolean> => verifyBytes(toUtf8(text), stored);
  return {
    checkText,
    compileHash: (options) => {
      const cost = readCost(options['rounds_cost']);
      currentCost = cost;
      dearest = Math.max(dearest, cost);
      return (text, salt, requester) =>
        hashLimiter.run(() => hashBytes(toUtf8(text), cost, createSalt(salt)), requester);
    },
    createVerifier: () =>
      createHashVerifier({ read, checkText, createDummy: createBcryptDummy, compare }, () => currentCost),
  };
}

/** bcrypt ignores further bytes. */
const MAX_BYTES = 72;

/** `$2a$`, `$2b$` and `$2y$` are the same correct algorithm; `$2x$` marks hashes of a defective one. */
const HASH = /^\$2[aby]\$(0[4-9]|[12][0-9]|3[01])(\$[./A-Za-z0-9]{53})$/;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const ALPHABET = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

function parseCost(stored: string): number | null {
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

/** It takes as long to verify as any other hash of the cost. */
export const createBcryptDummy = (cost: number): string => `${formatPrefix(cost)}${'.'.repeat(22)}${'O'.repeat(30)}.`;
