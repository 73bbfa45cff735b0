/**
 * The store of cached entries and the removals that it owes, with time that is passed by hand: for how long one waits for another,
 * when a removal is tried again, and a store that is away.
 */
import { expect } from 'chai';
import { createMemory } from '../../plugins/caches/memory/memory.js';
import { createRemovals } from '../../plugins/features/cacheable/removals.js';
import { createStore, type Errand, type Found } from '../../plugins/features/cacheable/store.js';
import type { Cache } from '../../plugins/caches/kind.js';
import { replaceTime, type ManualTime } from '../support/manual-time.js';

const memory = (): Cache => createMemory({ maxEntries: 100, maxBytes: 1_000_000, now: () => performance.now() });

function logger() {
  const told: unknown[] = [];
  const say =
    (level: string) =>
    ({ key }: { key?: string }): void =>
      void told.push(key === undefined ? level : `${level} ${key}`);
  return { told, log: { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') } };
}

const errandOf = (found: Found): Errand => {
  if ('value' in found || found.errand === null) throw new Error('there is no errand');
  return found.errand;
};
const shown = (found: Found | undefined): unknown =>
  found === undefined
    ? 'waits'
    : 'value' in found
      ? Buffer.from(found.value).toString()
      : found.errand === null
        ? 'away'
        : found.errand.flight === null
          ? 'computes alone'
          : 'computes';

describe('one that waits for another to compute an entry', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restore());

  /** Asks, and keeps the answer when it comes. */
  function setUp(cache: Cache = memory()) {
    const store = createStore(cache, logger().log);
    const ask = (name = 'n') => {
      const asked: { found?: Found } = {};
      void store.find(name, 'v', 60, undefined).then((found) => (asked.found = found));
      return asked;
    };
    const first = async (): Promise<Errand> => errandOf(await store.find('n', 'v', 60, undefined));
    return { store, ask, first };
  }

  it('waits ten seconds, then computes alone, and leaves no timer', async () => {
    const { ask, first } = setUp();
    await first();
    await time.pass(4000);
    const asked = ask();
    await time.pass(9999);
    expect(shown(asked.found)).to.equal('waits');
    await time.pass(2);
    expect([shown(asked.found), time.timers()]).to.deep.equal(['computes alone', 0]);
  });

  it('waits ten seconds in all, however many fail meanwhile', async () => {
    const { store, ask, first } = setUp();
    const one = await first();
    const [asked, next] = [ask(), ask()];
    await time.pass(6000);
    store.giveUp(one);
    await time.pass(0);
    // Of the two that waited one computes now, the other waits for it with the patience that is left.
    const answers = (): unknown[] => [shown(asked.found), shown(next.found)].sort();
    expect(answers()).to.deep.equal(['computes', 'waits']);
    await time.pass(3990);
    expect(answers()).to.deep.equal(['computes', 'waits']);
    await time.pass(20);
    expect(answers()).to.deep.equal(['computes', 'computes alone']);
  });

  it('does not wait for one that has taken longer already, and takes its place', async () => {
    const { store, ask, first } = setUp();
    const slow = await first();
    await time.pass(9900);
    const patient = ask();
    await time.pass(200);
    expect(shown(patient.found)).to.equal('waits');
    const second = errandOf(await store.find('n', 'v', 60, undefined));
    expect(second.flight).not.to.equal(slow.flight);
    // The slow one is no longer joined, and its failure is not that of the other.
    store.giveUp(slow);
    const asked = ask();
    await time.pass(10);
    expect([shown(patient.found), shown(asked.found)]).to.deep.equal(['waits', 'waits']);
    store.finish(second, Buffer.from('second'), 60);
    await time.pass(1);
    expect([shown(patient.found), shown(asked.found), time.timers()]).to.deep.equal(['second', 'second', 0]);
  });

  it('has the entry kept by one that computed alone, and nobody let go by its failure', async () => {
    const { store, ask, first } = setUp();
    const slow = await first();
    await time.pass(1);
    const alone = ask();
    await time.pass(10_000);
    const mine = errandOf(alone.found ?? { errand: null });
    store.giveUp(mine);
    expect(slow.flight?.over).to.equal(false);
    store.finish(mine, Buffer.from('alone'), 60);
    await time.pass(1);
    const asked = ask();
    await time.pass(1);
    expect(shown(asked.found)).to.equal('alone');
  });

  it('computes anew where the store has not kept what another computed', async () => {
    const inner = memory();
    const keep: Cache['keep'] = (key, ...rest) => (key.startsWith('e') ? undefined : inner.keep(key, ...rest));
    const { store, ask, first } = setUp({ ...inner, keep });
    store.finish(await first(), Buffer.from('made'), 60);
    await time.pass(1);
    const asked = ask();
    await time.pass(1);
    expect(shown(asked.found)).to.equal('computes');
  });

  it('is not needed where an entry of the name is gone after its time', async () => {
    const { store, ask, first } = setUp();
    store.finish(await first(), Buffer.from('made'), 60);
    await time.pass(59_999);
    expect(Buffer.from(store.peek('n', 'v') ?? []).toString()).to.equal('made');
    await time.pass(2);
    const asked = ask();
    await time.pass(1);
    expect([store.peek('n', 'v'), shown(asked.found)]).to.deep.equal([null, 'computes']);
  });
});

describe('a look for what is there at once', () => {
  it('finds a value of this process, by its name and what it depends on', async () => {
    const store = createStore(memory(), logger().log);
    expect(store.peek('n', 'v')).to.equal(null);
    store.finish(errandOf(await store.find('n', 'v', 60, undefined)), Buffer.from('made'), 60);
    await new Promise((resolve) => setImmediate(resolve));
    for (let n = 0; n < 2; n++) expect(Buffer.from(store.peek('n', 'v') ?? []).toString()).to.equal('made');
    expect([store.peek('n', 'w'), store.peek('m', 'v')]).to.deep.equal([null, null]);
    await store.remove(['n']);
    expect(store.peek('n', 'v')).to.equal(null);
  });

  it('is not asked of a store elsewhere more than once', async () => {
    const inner = memory();
    let count = 0;
    const recall: Cache['recall'] = (key) => (count++, Promise.resolve(inner.recall(key)));
    const store = createStore({ ...inner, recall }, logger().log);
    expect([store.peek('n', 'v'), store.peek('n', 'v'), count]).to.deep.equal([null, null, 1]);
  });

  it('is told in the log where the store is away, and finds nothing', async () => {
    const { told, log } = logger();
    const store = createStore({ ...memory(), recall: () => Promise.reject(new Error('away')) }, log);
    expect(store.peek('n', 'v')).to.equal(null);
    await new Promise((resolve) => setImmediate(resolve));
    expect(told).to.deep.equal(['warn']);
  });

  it('reads a generation out of a larger piece of memory', async () => {
    const inner = memory();
    const recall: Cache['recall'] = async (key) => {
      const { value, lease } = await inner.recall(key);
      if (value === null) return { value, lease };
      const packet = Buffer.concat([Buffer.from('ab'), value, Buffer.from(String(Math.random()))]);
      return { value: packet.subarray(2, 2 + value.length), lease };
    };
    const store = createStore({ ...inner, recall }, logger().log);
    store.finish(errandOf(await store.find('n', 'v', 60, undefined)), Buffer.from('made'), 60);
    await new Promise((resolve) => setImmediate(resolve));
    expect(shown(await store.find('n', 'v', 60, undefined))).to.equal('made');
  });

  it('has several that begin a name at the same time agree on the first', async () => {
    const inner = memory();
    const recall: Cache['recall'] = (key) => Promise.resolve(inner.recall(key));
    const cache = { ...inner, recall };
    const [one, two] = [createStore(cache, logger().log), createStore(cache, logger().log)];
    const found = await Promise.all([one.find('n', 'v', 60, undefined), two.find('n', 'v', 60, undefined)]);
    const entries = found.map((each) => errandOf(each).entry);
    expect(entries[0]).to.equal(entries[1]);
  });
});

describe('removals that the store did not take', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restore());

  function setUp(fails: (keys: readonly string[]) => boolean, sync = false) {
    const asked: (readonly [number, number])[] = [];
    const remove: Cache['remove'] = (keys) => {
      asked.push([time.now(), keys.length]);
      if (!fails(keys)) return sync ? undefined : Promise.resolve();
      if (sync) throw new Error('away');
      return Promise.reject(new Error('away'));
    };
    const { told, log } = logger();
    return { asked, told, removals: createRemovals({ ...memory(), remove }, log) };
  }

  for (const sync of [false, true])
    it(`are tried again every half a second, all at once, until it does (${sync ? 'in this process' : 'elsewhere'})`, async () => {
      let isAway = true;
      const { asked, removals } = setUp(() => isAway, sync);
      void removals.remove(['a']);
      void removals.remove(['b', 'c']);
      await time.pass(1);
      expect(['a', 'b', 'c', 'd'].map((key) => removals.waiting(key))).to.deep.equal([true, true, true, false]);
      await time.pass(498);
      expect(asked.length).to.equal(2);
      await time.pass(502);
      isAway = false;
      await time.pass(498);
      expect([asked.slice(2), removals.waiting('a')]).to.deep.equal([
        [
          [500, 3],
          [1000, 3],
        ],
        true,
      ]);
      await time.pass(502);
      expect([asked.slice(4), removals.waiting('a'), time.timers()]).to.deep.equal([[[1500, 3]], false, 0]);
    });

  it('are told once a minute', async () => {
    const { told, removals } = setUp(() => true);
    await removals.remove(['a']);
    await time.pass(59_999);
    expect(told).to.deep.equal(['warn']);
    await time.pass(501);
    expect(told).to.deep.equal(['warn', 'warn']);
  });

  it('are bounded: beyond ten thousand the oldest is given up', async () => {
    const { told, removals } = setUp(() => true);
    const keys = Array.from({ length: 10_000 }, (_, n) => `k${n}`);
    await removals.remove(keys);
    expect([told, removals.waiting('k0')]).to.deep.equal([['warn'], true]);
    await removals.remove(['one', 'two']);
    expect(told).to.deep.equal(['warn', 'error k0', 'error k1']);
    expect(['k0', 'k1', 'k2', 'two'].map((key) => removals.waiting(key))).to.deep.equal([false, false, true, true]);
  });

  it('are none where the store takes them', async () => {
    const { asked, told, removals } = setUp(() => false);
    await removals.remove(['a']);
    await time.pass(1000);
    expect([asked.length, told, removals.waiting('a'), time.timers()]).to.deep.equal([1, [], false, 0]);
  });
});
