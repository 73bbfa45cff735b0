/** Hashes and verifies text with argon2id, within the concurrency limit of all hashers. */
import type { Json } from '../../../contract/json.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { hasher, type Hasher } from '../kind.js';
import { hashLimiter } from '../shared/hash-limiter.js';
import { createSalt } from '../shared/salt.js';
import { createHashVerifier } from '../shared/hash-verifier.js';
import { createArgon2Dummy, hashBytes, parse, verifyBytes, type Costs } from './argon2.js';

const DEFAULTS: Costs = { memory: 19_456, time: 2, lanes: 1 };
/**
 * Upper bound of stored costs, unless a definition uses higher ones: each failure costs as much as the last verified
 * hash.
 */
const DEAREST: Costs = { memory: 262_144, time: 16, lanes: 16 };
/** Memory times passes (about one second). */
const MOST_WORK = 1_048_576;

const toUtf8 = (text: string): Buffer => Buffer.from(text, 'utf8');
const numberOr = (json: Json | undefined, otherwise: number): number => (typeof json === 'number' ? json : otherwise);

export default defineRuntime(hasher, { create });

function create(): Hasher {
  let currentCosts = DEFAULTS;
  let dearest = DEAREST;
  let work = MOST_WORK;
  const checkText = (): null => null;
  const read = (stored: string): Costs | null => {
    const costs = parse(stored);
    if (costs === null) return null;
    const { memory, time, lanes } = costs;
    const isAffordable = memory <= dearest.memory && time <= dearest.time && lanes <= dearest.lanes;
    return isAffordable && memory * time <= work ? { memory, time, lanes } : null;
  };
  const compare = (text: string, stored: string): Promise<boolean> => verifyBytes(toUtf8(text), stored);
  return {
    checkText,
    compileHash: (options) => {
      const costs: Costs = {
        memory: numberOr(options['memory_cost'], DEFAULTS.memory),
        time: numberOr(options['time_cost'], DEFAULTS.time),
        lanes: numberOr(options['parallelism'], DEFAULTS.lanes),
      };
      currentCosts = costs;
      dearest = mergeCosts(dearest, costs);
      work = Math.max(work, costs.memory * costs.time);
      return (text, salt, requester) =>
        hashLimiter.run(() => hashBytes(toUtf8(text), costs, createSalt(salt)), requester);
    },
    createVerifier: () =>
      createHashVerifier({ read, checkText, createDummy: createArgon2Dummy, compare }, () => currentCosts),
  };
}

const mergeCosts = (a: Costs, b: Costs): Costs => ({
  memory: Math.max(a.memory, b.memory),
  time: Math.max(a.time, b.time),
  lanes: Math.max(a.lanes, b.lanes),
});
