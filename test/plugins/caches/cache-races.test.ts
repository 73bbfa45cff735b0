/**
 * Three processes on one cache store, with their steps in every order that a seed generates: a read that starts after
 * an acknowledged invalidation never returns an earlier value, also if a command of the store fails or its reply is
 * lost.
 */
import { expect } from 'chai';
import type { Cache } from '../../../plugins/caches/kind.js';
import { createStore, type CacheEntryStore, type ComputationLease } from '../../../plugins/features/cacheable/store.js';
import { createSeededRandom, type Random } from '../../support/random-edits.js';

const ROUNDS = 300;
const PROCESSES = 3;
const LOG = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };

type Failure = 'before' | 'after' | null;

/** What the scripts of the Redis cache do (`plugins/caches/redis/scripts.ts`), each atomically. */
function createRedisModel() {
  const [values, leases, locks] = [new Map<string, Uint8Array>(), new Map<string, string>(), new Map<string, string>()];
  let made = 0;
  return {
    get: (key: string) => values.get(key) ?? null,
    lease(key: string) {
      const lease = leases.get(key) ?? `lease ${++made}`;
      leases.set(key, lease);
      return lease;
    },
    keep(key: string, value: Uint8Array, lease: string) {
      if (leases.get(key) !== lease) return;
      if (!values.has(key)) values.set(key, value);
      leases.delete(key);
    },
    remove(key: string) {
      values.delete(key);
      leases.delete(key);
    },
    claim(key: string, token: string) {
      if (values.has(key)) return -1;
      if (locks.has(key)) return 1;
      locks.set(key, token);
      return 0;
    },
    release(key: string, token: string) {
      if (locks.get(key) === token) locks.delete(key);
    },
  };
}

/** Each command waits a random number of event loop turns, before and after it takes effect. */
function createRemoteCache(model: ReturnType<typeof createRedisModel>, random: Random, fails: () => Failure): Cache {
  const wait = async (): Promise<void> => {
    for (let turns = random.below(4); turns > 0; turns--) await new Promise(setImmediate);
  };
  async function send<T>(run: () => T, failure: Failure = null): Promise<T> {
    await wait();
    if (failure === 'before') throw new Error('the connection is lost');
    const result = run();
    await wait();
    if (failure === 'after') throw new Error('the reply is lost');
    return result;
  }
  const cannot = (): never => {
    throw new Error('not part of the model');
  };
  return {
    async getValue(key) {
      const value = await send(() => model.get(key), fails());
      return value === null ? { value, lease: await send(() => model.lease(key)) } : { value, lease: '' };
    },
    setValue: (key, value, _seconds, lease) => send(() => model.keep(key, value, lease), fails()),
    async remove(keys) {
      await Promise.all(keys.map((key) => send(() => model.remove(key), fails())));
    },
    claim: (key, token) => send(() => model.claim(key, token)),
    release: (key, token) => send(() => model.release(key, token)),
    ...{ count: cannot, setFlags: cannot, hasFlag: cannot },
  };
}

async function countStaleReads(seed: string, failures: number): Promise<{ stale: number; cached: number }> {
  const random = createSeededRandom(seed);
  const model = createRedisModel();
  const failAtRandom = (): Failure => (random.chance(failures) ? (random.chance(0.5) ? 'before' : 'after') : null);
  const createProcess = (): CacheEntryStore => createStore(createRemoteCache(model, random, failAtRandom), LOG);
  const processes = Array.from({ length: PROCESSES }, createProcess);
  const at = (): CacheEntryStore => random.pick(processes);
  let [version, acknowledged, stale, cached] = [0, 0, 0, 0];

  async function read(): Promise<void> {
    const store = at();
    const floor = acknowledged;
    const found = await store.find('n', 'v', 60, undefined);
    let value: number;
    if ('value' in found) {
      value = Number(Buffer.from(found.value).toString());
      cached++;
    } else {
      const heldLease: ComputationLease | null = found.heldLease;
      value = version;
      for (let turns = random.below(6); turns > 0; turns--) await new Promise(setImmediate);
      if (heldLease !== null) store.completeComputation(heldLease, Buffer.from(String(value)), 60);
    }
    if (value < floor) stale++;
  }
  async function write(): Promise<void> {
    const mine = ++version;
    await at().remove(['n']);
    acknowledged = Math.max(acknowledged, mine);
  }
  for (let round = 0; round < ROUNDS; round++) {
    const work = Array.from({ length: 1 + random.below(6) }, read);
    if (random.below(2) === 0) work.push(write());
    if (random.below(2) === 0) await Promise.all(work);
    else await Promise.race(work);
  }
  return { stale, cached };
}

describe('acknowledged invalidation', () => {
  for (const [what, failures] of [
    ['with a store that always answers', 0],
    ['with one command in twenty that fails, before or after it took effect', 0.05],
  ] as const)
    it(`is not undone by an earlier computation, ${what}`, async () => {
      const seed = process.env['CACHE_SEED'] ?? 'stale';
      for (let n = 0; n < 5; n++) {
        const { stale, cached } = await countStaleReads(`${seed}-${n}`, failures);
        expect([stale, cached > ROUNDS / 4], `seed ${seed}-${n}`).to.deep.equal([0, true]);
      }
    });
});
