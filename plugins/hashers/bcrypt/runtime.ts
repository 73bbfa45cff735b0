/** Hashes and verifies text with bcrypt, within the concurrency limit of all hashers. */
import type { Json } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { hasher, type Hasher } from '../kind.js';
import { hashing } from '../shared/hash-limiter.js';
import { createSalt } from '../shared/salt.js';
import { createHashVerifier } from '../shared/hash-verifier.js';
import { parseCost, createBcryptDummy, hashBytes, MAX_BYTES, verifyBytes } from './bcrypt.js';

const DEFAULT_COST = 12;
/**
 * Upper bound of stored costs (seconds of work), unless a definition uses higher ones. Each failure costs as much as the last
 * verified hash, so one expensive row would slow down all requests.
 */
const DEAREST = 16;

const toUtf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const readCost = (json: Json | undefined): number => (typeof json === 'number' ? json : DEFAULT_COST);

export default defineRuntime(hasher, { create });

function create(): Hasher {
  let asked = DEFAULT_COST;
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
      asked = cost;
      dearest = Math.max(dearest, cost);
      return (text, salt, asker) => hashing.run(() => hashBytes(toUtf8(text), cost, createSalt(salt)), asker);
    },
    createVerifier: () => createHashVerifier({ read, checkText, createDummy: createBcryptDummy, compare }, () => asked),
  };
}
