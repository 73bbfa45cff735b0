/**
 * The store of cached entries and its pending removals, under manual time: how long a request waits for another, when a
 * removal is retried, and an unavailable store.
 */
import { expect } from 'chai';
import { createMemory } from '../../../plugins/caches/memory/memory.js';
import { createRemovals } from '../../../plugins/features/cacheable/removals.js';
import { createStore, type ComputationLease, type CacheLookup } from '../../../plugins/features/cacheable/store.js';
import type { Cache } from '../../../plugins/caches/kind.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

const memory = (): Cache => createMemory({ maxEntries: 100, maxBytes: 1_000_000, now: () => performance.now() });

function logger() {
  const reported: unknown[] = [];
  const createRecorder =
    (level: string) =>
    ({ key }: { key?: string }): void =>
      void reported.push(key === undefined ? level : `${level} ${key}`);
  return {
    reported,
    log: {
      debug: createRecorder('debug'),
      info: createRecorder('info'),
      warn: createRecorder('warn'),
      error: createRecorder('error'),
    },
  };
}

const requireLease = (found: CacheLookup): ComputationLease => {
  if ('value' in found || found.heldLease === null) throw new Error('there is no lease');
  return found.heldLease;
};
const describeFound = (found: CacheLookup | undefined): unknown =>
  found === undefined
    ? 'waits'
    : 'value' in found
      ? Buffer.from(found.value).toString()
      : found.heldLease === null
        ? 'away'
        : found.heldLease.flight === null
          ? 'computes alone'
          : 'computes';

describe('request that waits for another to compute an entry', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restoreGlobals());

  /** Looks up, and stores the outcome when it arrives. */
  function setUp(cache: Cache = memory()) {
    const store = createStore(cache, logger().log);
    const startFind = (name = 'n') => {
      const asked: { found?: CacheLookup } = {};
      void store.find(name, 'v', 60, undefined).then((found) => (asked.found = found));
      return asked;
    };
    const first = async (): Promise<ComputationLease> => requireLease(await store.find('n', 'v', 60, undefined));
    return { store, ask: startFind, first };
  }

  it('waits ten seconds, then computes alone, and leaves no timer', async () => {
    const { ask: read, first } = setUp();
    await first();
    await time.advance(4000);
    const asked = read();
    await time.advance(9999);
    expect(describeFound(asked.found)).to.equal('waits');
    await time.advance(2);
    expect([describeFound(asked.found), time.timers()]).to.deep.equal(['computes alone', 0]);
  });

  it('reads what another process has stored, and computes it again after it expires', async () => {
    const cache = memory();
    let isTheirs = true;
    const { store } = setUp({
      ...cache,
      async claim(entry) {
        if (!isTheirs) return 0;
        isTheirs = false;
        const { lease } = await cache.getValue(entry);
        await cache.setValue(entry, Buffer.from('theirs'), 1, lease);
        return -1;
      },
    });
    const find = async (): Promise<unknown> => describeFound(await store.find('n', 'v', 60, undefined));
    expect([await find(), await find()]).to.deep.equal(['theirs', 'theirs']);
    await time.advance(1001);
    expect(await find()).to.equal('computes');
  });

  it('waits ten seconds in total, however many fail meanwhile', async () => {
    const { store, ask: read, first } = setUp();
    const one = await first();
    const [asked, next] = [read(), read()];
    await time.advance(6000);
    store.failComputation(one);
    await time.advance(0);
    // Of the two that waited one computes now, the other waits for it with the patience that is left.
    const answers = (): unknown[] => [describeFound(asked.found), describeFound(next.found)].sort();
    expect(answers()).to.deep.equal(['computes', 'waits']);
    await time.advance(3990);
    expect(answers()).to.deep.equal(['computes', 'waits']);
    await time.advance(20);
    expect(answers()).to.deep.equal(['computes', 'computes alone']);
  });

  it('does not wait for a request that has already taken longer, and replaces it', async () => {
    const { store, ask: read, first } = setUp();
    const slow = await first();
    await time.advance(9900);
    const patient = read();
    await time.advance(200);
    expect(describeFound(patient.found)).to.equal('waits');
    const second = requireLease(await store.find('n', 'v', 60, undefined));
    expect(second.flight).not.to.equal(slow.flight);
    // The slow one is no longer joined, and its failure is not that of the other.
    store.failComputation(slow);
    const asked = read();
    await time.advance(10);
    expect([describeFound(patient.found), describeFound(asked.found)]).to.deep.equal(['waits', 'waits']);
    store.completeComputation(second, Buffer.from('second'), 60);
    await time.advance(1);
    expect([describeFound(patient.found), describeFound(asked.found), time.timers()]).to.deep.equal([
      'second',
      'second',
      0,
    ]);
  });

  it('stores the entry of a request that computed alone, whose failure releases no other', async () => {
    const { store, ask: read, first } = setUp();
    const slow = await first();
    await time.advance(1);
    const alone = read();
    await time.advance(10_000);
    const mine = requireLease(alone.found ?? { heldLease: null });
    store.failComputation(mine);
    expect(slow.flight?.over).to.equal(false);
    store.completeComputation(mine, Buffer.from('alone'), 60);
    await time.advance(1);
    const asked = read();
    await time.advance(1);
    expect(describeFound(asked.found)).to.equal('alone');
  });

  it('computes again if the store has not kept what another computed', async () => {
    const inner = memory();
    const storeUnlessError: Cache['setValue'] = (key, ...rest) =>
      key.startsWith('e') ? undefined : inner.setValue(key, ...rest);
    const { store, ask: read, first } = setUp({ ...inner, setValue: storeUnlessError });
    store.completeComputation(await first(), Buffer.from('made'), 60);
    await time.advance(1);
    const asked = read();
    await time.advance(1);
    expect(describeFound(asked.found)).to.equal('computes');
  });

  it('is not needed if an entry of the name has expired', async () => {
    const { store, ask: read, first } = setUp();
    store.completeComputation(await first(), Buffer.from('made'), 60);
    await time.advance(59_999);
    expect(Buffer.from(store.getLocalBytes('n', 'v') ?? []).toString()).to.equal('made');
    await time.advance(2);
    const asked = read();
    await time.advance(1);
    expect([store.getLocalBytes('n', 'v'), describeFound(asked.found)]).to.deep.equal([null, 'computes']);
  });
});

describe('immediate lookup', () => {
  it('finds a value of this process, by its name and its inputs', async () => {
    const store = createStore(memory(), logger().log);
    expect(store.getLocalBytes('n', 'v')).to.equal(null);
    store.completeComputation(requireLease(await store.find('n', 'v', 60, undefined)), Buffer.from('made'), 60);
    await new Promise((resolve) => setImmediate(resolve));
    for (let n = 0; n < 2; n++) expect(Buffer.from(store.getLocalBytes('n', 'v') ?? []).toString()).to.equal('made');
    expect([store.getLocalBytes('n', 'w'), store.getLocalBytes('m', 'v')]).to.deep.equal([null, null]);
    await store.remove(['n']);
    expect(store.getLocalBytes('n', 'v')).to.equal(null);
  });

  it('does not read another store more than once', async () => {
    const inner = memory();
    let count = 0;
    const recall: Cache['getValue'] = (key) => (count++, Promise.resolve(inner.getValue(key)));
    const store = createStore({ ...inner, getValue: recall }, logger().log);
    expect([store.getLocalBytes('n', 'v'), store.getLocalBytes('n', 'v'), count]).to.deep.equal([null, null, 1]);
  });

  it('is logged if the store is unavailable, and finds nothing', async () => {
    const { reported, log } = logger();
    const store = createStore({ ...memory(), getValue: () => Promise.reject(new Error('away')) }, log);
    expect(store.getLocalBytes('n', 'v')).to.equal(null);
    await new Promise((resolve) => setImmediate(resolve));
    expect(reported).to.deep.equal(['warn']);
  });

  it('reads a generation out of a larger buffer', async () => {
    const inner = memory();
    const recall: Cache['getValue'] = async (key) => {
      const { value, lease } = await inner.getValue(key);
      if (value === null) return { value, lease };
      const packet = Buffer.concat([Buffer.from('ab'), value, Buffer.from(String(Math.random()))]);
      return { value: packet.subarray(2, 2 + value.length), lease };
    };
    const store = createStore({ ...inner, getValue: recall }, logger().log);
    store.completeComputation(requireLease(await store.find('n', 'v', 60, undefined)), Buffer.from('made'), 60);
    await new Promise((resolve) => setImmediate(resolve));
    expect(describeFound(await store.find('n', 'v', 60, undefined))).to.equal('made');
  });

  it('lets several that create a name at the same time agree on the first', async () => {
    const inner = memory();
    const recall: Cache['getValue'] = (key) => Promise.resolve(inner.getValue(key));
    const cache = { ...inner, recall };
    const [one, two] = [createStore(cache, logger().log), createStore(cache, logger().log)];
    const found = await Promise.all([one.find('n', 'v', 60, undefined), two.find('n', 'v', 60, undefined)]);
    const entries = found.map((each) => requireLease(each).entry);
    expect(entries[0]).to.equal(entries[1]);
  });
});

describe('removals that the store did not accept', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restoreGlobals());

  /** Of a request without time left, so that nothing is tried again within it. */
  const OVER = { invocation: { deadline: 0 } };

  function setUp(fails: (keys: readonly string[]) => boolean, sync = false) {
    const asked: (readonly [number, number])[] = [];
    const remove: Cache['remove'] = (keys) => {
      asked.push([time.now(), keys.length]);
      if (!fails(keys)) return sync ? undefined : Promise.resolve();
      if (sync) throw new Error('away');
      return Promise.reject(new Error('away'));
    };
    const { reported, log } = logger();
    return { asked, reported, removals: createRemovals({ ...memory(), remove }, log) };
  }

  for (const sync of [false, true])
    it(`are retried every half a second, all together, until accepted (${sync ? 'in this process' : 'elsewhere'})`, async () => {
      let isAway = true;
      const { asked, removals } = setUp(() => isAway, sync);
      void removals.remove(['a'], OVER);
      void removals.remove(['b', 'c'], OVER);
      await time.advance(1);
      expect(['a', 'b', 'c', 'd'].map((key) => removals.isWaiting(key))).to.deep.equal([true, true, true, false]);
      await time.advance(498);
      expect(asked.length).to.equal(2);
      await time.advance(502);
      isAway = false;
      await time.advance(498);
      expect([asked.slice(2), removals.isWaiting('a')]).to.deep.equal([
        [
          [500, 3],
          [1000, 3],
        ],
        true,
      ]);
      await time.advance(502);
      expect([asked.slice(4), removals.isWaiting('a'), time.timers()]).to.deep.equal([[[1500, 3]], false, 0]);
    });

  it('are logged once a minute', async () => {
    const { reported, removals } = setUp(() => true);
    await removals.remove(['a'], OVER);
    await time.advance(59_999);
    expect(reported).to.deep.equal(['warn']);
    await time.advance(501);
    expect(reported).to.deep.equal(['warn', 'warn']);
  });

  it('are limited: beyond ten thousand the oldest is dropped', async () => {
    const { reported, removals } = setUp(() => true);
    const keys = Array.from({ length: 10_000 }, (_, n) => `k${n}`);
    await removals.remove(keys, OVER);
    expect([reported, removals.isWaiting('k0')]).to.deep.equal([['warn'], true]);
    await removals.remove(['one', 'two'], OVER);
    expect(reported).to.deep.equal(['warn', 'error', 'error']);
    expect(['k0', 'k1', 'k2', 'two'].map((key) => removals.isWaiting(key))).to.deep.equal([false, false, true, true]);
  });

  it('are empty if the store accepts them', async () => {
    const { asked, reported, removals } = setUp(() => false);
    await removals.remove(['a'], OVER);
    await time.advance(1000);
    expect([asked.length, reported, removals.isWaiting('a'), time.timers()]).to.deep.equal([1, [], false, 0]);
  });

  it('are retried before the response, so that no other process reads removed values', async () => {
    let failures = 2;
    const { asked, reported, removals } = setUp(() => failures-- > 0);
    const removed = Promise.resolve(removals.remove(['a']));
    let isAnswered = false;
    void removed.then(() => (isAnswered = true));
    await time.advance(9);
    expect([isAnswered, removals.isWaiting('a')]).to.deep.equal([false, true]);
    await time.advance(21);
    expect([isAnswered, removals.isWaiting('a'), reported, time.timers()]).to.deep.equal([true, false, [], 0]);
    expect(asked.map(([at]) => at)).to.deep.equal([0, 10, 30]);
  });

  it('delay the response by at most a second and a half, and are pending then', async () => {
    const { reported, removals } = setUp(() => true);
    let isAnswered = false;
    void Promise.resolve(removals.remove(['a'])).then(() => (isAnswered = true));
    await time.advance(1200);
    expect(isAnswered).to.equal(false);
    await time.advance(301);
    expect([isAnswered, removals.isWaiting('a'), reported]).to.deep.equal([true, true, ['warn']]);
  });
});
