/**
 * Parts of `cacheable`: names and variants are unambiguous, one computes while others wait, and a failed removal is
 * retried.
 */
import { expect } from 'chai';
import type { Frame, PlanTools, ReadPlace } from '../../../contract/plan.js';
import { createFault } from '../../../contract/fault.js';
import { createMemory } from '../../../plugins/caches/memory/memory.js';
import { compileName, compileVariant } from '../../../plugins/features/cacheable/keys.js';
import { createStore, type ComputationLease, type CacheLookup } from '../../../plugins/features/cacheable/store.js';
import type { Cache } from '../../../plugins/caches/kind.js';
import { generateText, fc } from '../../support/properties.js';

const tools = (reads: readonly ReadPlace[] = [], version = 'v'): PlanTools =>
  ({
    version,
    reads: () => reads,
    value: (json: string) => {
      const field = json.split('.')[1] ?? '';
      return ({ payload }: Frame) => payload[field];
    },
  }) as unknown as PlanTools;
const frame = (payload: object, claims: object | null = null): Frame =>
  ({ payload, claims, slots: [], results: [] }) as unknown as Frame;
const field = (name: string | null): ReadPlace => ({ from: 'payload', field: name, slot: null });

describe('names of cached entries', () => {
  const text = fc.oneof(generateText(), fc.constantFrom('', ':', '"', '","', '\\', 'null', '[]', 'x'.repeat(300)));

  it('differ as soon as one value differs, whatever the values contain', () => {
    const name = compileName('$PAYLOAD.a:$PAYLOAD.b$PAYLOAD.c', tools());
    const values = fc.record({ a: text, b: text, c: text });
    fc.assert(
      fc.property(values, values, (one, two) => {
        const isSame = one.a === two.a && one.b === two.b && one.c === two.c;
        expect(name(frame(one)) === name(frame(two))).to.equal(isSame);
      }),
      { numRuns: 2000 },
    );
  });

  it('never equal the name of another text', () => {
    const [constant, one, two] = ['user 5', 'user $PAYLOAD.a', 'user $PAYLOAD.a$PAYLOAD.b'].map((written) =>
      compileName(written, tools()),
    );
    const values = frame({ a: '5', b: '' });
    expect(new Set([constant?.(values), one?.(values), two?.(values)]).size).to.equal(3);
  });

  it('are equal for equal texts, literal or as a value', () => {
    const values = frame({ a: 'orders' });
    expect(compileName('$PAYLOAD.a', tools())(values)).to.equal(compileName('orders', tools())(values));
  });

  it('treat a number as its text, and distinguish absent values, objects and text', () => {
    const name = compileName('user $PAYLOAD.a', tools());
    const of = (a: unknown): string => name(frame({ a }));
    expect(of(5)).to.equal(of('5'));
    expect(of({ b: 1, a: [2] })).to.equal(of({ a: [2], b: 1 }));
    const different = [null, 'null', '', {}, '{}', [], '[]', { a: 1 }, '{"a":1}', 'true!', 5.5];
    expect(new Set(different.map(of)).size).to.equal(different.length);
  });

  it('have a bounded length', () => {
    const name = compileName('$PAYLOAD.a', tools());
    expect(name(frame({ a: 'x'.repeat(1_000_000) })).length).to.be.below(300);
  });
});

describe('variants of cached entries', () => {
  it('differ as soon as one input differs, its type included', () => {
    const variant = compileVariant('place', tools([field('a'), field('b'), { from: 'claims', path: ['id'] }]));
    const value = fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.constantFrom<unknown>('u', '"u"', 5, '5'));
    const values = fc.record({ a: value, b: value, id: value });
    const of = ({ a, b, id }: { a: unknown; b: unknown; id: unknown }): string => variant(frame({ a, b }, { id }));
    const exact = (json: unknown): string => (json === undefined ? 'absent' : `is ${JSON.stringify(json)}`);
    fc.assert(
      fc.property(values, values, (one, two) => {
        const isSame = (['a', 'b', 'id'] as const).every((name) => exact(one[name]) === exact(two[name]));
        expect(of(one) === of(two)).to.equal(isSame);
      }),
      { numRuns: 2000 },
    );
  });

  it('distinguish large numbers from text and from other numbers', () => {
    const variant = compileVariant('place', tools([field('a')]));
    const values = [5n, 6n, 5, '5', '5n', 'b5', NaN, undefined, 'u'];
    expect(new Set(values.map((a) => variant(frame({ a })))).size).to.equal(values.length);
  });

  it('differ by place and by version of the definitions', () => {
    const made = [compileVariant('a', tools()), compileVariant('b', tools()), compileVariant('a', tools([], 'w'))];
    expect(new Set(made.map((variant) => variant(frame({})))).size).to.equal(3);
  });

  it('contain a list, and a payload that is read whole, as a whole', () => {
    const some = compileVariant('a', tools([field('a')]));
    expect(some(frame([1]))).not.to.equal(some(frame([2])));
    const whole = compileVariant('a', tools([field('a'), field(null)]));
    expect(whole(frame({ a: 1, b: 1 }))).not.to.equal(whole(frame({ a: 1, b: 2 })));
  });

  it('read own fields only', () => {
    const variant = compileVariant('a', tools([field('constructor')]));
    expect(variant(frame({}))).to.equal(variant(frame(Object.create(null) as object)));
  });

  it('treat an input that cannot be read as absent', () => {
    const failing: ReadPlace = {
      from: 'elsewhere',
      read: () => {
        throw createFault('ACC_UNRESOLVED');
      },
    };
    const absent: ReadPlace = { from: 'elsewhere', read: () => undefined };
    const of = (place: ReadPlace): string => compileVariant('a', tools([place]))(frame({}));
    expect(of(failing)).to.equal(of(absent));
  });
});

describe('store of cached entries', () => {
  const reported: string[] = [];
  const recordMessage = (_fields: object, message: string): void => void reported.push(message);
  const log = { debug: recordMessage, info: recordMessage, warn: recordMessage, error: recordMessage };
  const memory = (): Cache => createMemory({ maxEntries: 100, maxBytes: 1_000_000, now: () => performance.now() });
  const requireLease = (found: CacheLookup): ComputationLease => {
    if ('value' in found || found.heldLease === null) throw new Error('there is no lease');
    return found.heldLease;
  };
  const readText = (found: CacheLookup): string =>
    'value' in found ? Buffer.from(found.value).toString() : 'no value';

  it('remembers a name, which a client may have invented, not much longer than its entry', async () => {
    const lives: number[] = [];
    const cache = memory();
    const storeAndRecord: Cache['setValue'] = (key, value, seconds, lease) => {
      lives.push(seconds);
      return cache.setValue(key, value, seconds, lease);
    };
    const store = createStore({ ...cache, setValue: storeAndRecord }, log);
    await store.find('short', 'v', 1, undefined);
    await store.find('long', 'v', 3600, undefined);
    expect(lives).to.deep.equal([600, 14_400]);
  });

  it('lets one request compute, and returns its bytes to the waiting ones', async () => {
    const store = createStore(memory(), log);
    const heldLease = requireLease(await store.find('n', 'v', 60, undefined));
    const waiting = [store.find('n', 'v', 60, undefined), store.find('n', 'v', 60, undefined)];
    store.completeComputation(heldLease, Buffer.from('made'), 60);
    expect((await Promise.all(waiting)).map(readText)).to.deep.equal(['made', 'made']);
  });

  it('lets exactly one waiting request take over from one that fails', async () => {
    const store = createStore(memory(), log);
    const heldLease = requireLease(await store.find('n', 'v', 60, undefined));
    const waiting = Array.from({ length: 5 }, () => store.find('n', 'v', 60, undefined));
    store.failComputation(heldLease);
    const next = requireLease(await Promise.race(waiting));
    store.completeComputation(next, Buffer.from('second'), 60);
    const found = await Promise.all(waiting);
    expect(found.filter((one) => !('value' in one)).length).to.equal(1);
    expect(found.filter((one) => readText(one) === 'second').length).to.equal(4);
  });

  it('lets new requests wait while the store accepts a value, although its request has ended', async () => {
    const cache = memory();
    let take: () => void = () => undefined;
    const taken = new Promise<void>((resolve) => (take = resolve));
    const storeDelayed: Cache['setValue'] = async (key, ...rest) => {
      if (key.startsWith('e')) await taken;
      return cache.setValue(key, ...rest);
    };
    const store = createStore({ ...cache, setValue: storeDelayed }, log);
    const heldLease = requireLease(await store.find('n', 'v', 60, undefined));
    store.completeComputation(heldLease, Buffer.from('made'), 60);
    store.failComputation(heldLease);
    expect(readText(await store.find('n', 'v', 60, undefined))).to.equal('made');
    take();
  });

  it('does not let a request wait for itself', async () => {
    const store = createStore(memory(), log);
    const heldLease = requireLease(await store.find('n', 'v', 60, undefined));
    expect(requireLease(await store.find('n', 'v', 60, heldLease))).to.equal(heldLease);
  });

  it('does not join a request from before a removal', async () => {
    const store = createStore(memory(), log);
    const early = requireLease(await store.find('n', 'v', 60, undefined));
    await store.remove(['n']);
    const late = requireLease(await store.find('n', 'v', 60, undefined));
    store.completeComputation(early, Buffer.from('stale'), 60);
    store.completeComputation(late, Buffer.from('fresh'), 60);
    expect(readText(await store.find('n', 'v', 60, undefined))).to.equal('fresh');
  });

  it('returns nothing of a name whose removal is pending, and retries the removal', async function () {
    const inner = memory();
    let isAway = false;
    let tries = 0;
    let removed: () => void = () => undefined;
    const back = new Promise<void>((resolve) => (removed = resolve));
    const cache: Cache = {
      ...inner,
      remove(keys) {
        tries++;
        if (isAway) return Promise.reject(createFault('CCH_AWAY'));
        removed();
        return inner.remove(keys);
      },
    };
    const store = createStore(cache, log);
    store.completeComputation(requireLease(await store.find('n', 'v', 60, undefined)), Buffer.from('old'), 60);
    expect(readText(await store.find('n', 'v', 60, undefined))).to.equal('old');
    isAway = true;
    await store.remove(['n']);
    expect(store.getLocalBytes('n', 'v')).to.equal(null);
    expect(await store.find('n', 'v', 60, undefined)).to.deep.equal({ heldLease: null });
    expect(reported.filter((line) => line.includes('invalidations are pending')).length).to.equal(1);
    const before = tries;
    isAway = false;
    await back;
    expect(tries).to.equal(before + 1);
    await new Promise((resolve) => setImmediate(resolve));
    expect(requireLease(await store.find('n', 'v', 60, undefined))).to.be.an('object');
  });

  it('computes while the store fails, whatever the failure is', async () => {
    const cache: Cache = { ...memory(), getValue: () => Promise.reject(new Error('broken')) };
    const store = createStore(cache, log);
    expect(store.getLocalBytes('n', 'v')).to.equal(null);
    expect(await store.find('n', 'v', 60, undefined)).to.deep.equal({ heldLease: null });
  });
});
