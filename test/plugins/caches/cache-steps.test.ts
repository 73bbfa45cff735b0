/**
 * A resource or an actionable with a cached result, step by step without a request: reads, writes, and which request
 * computes.
 */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import { FinalResult } from '../../../contract/reply.js';
import type { Frame, PlanTools, Step } from '../../../contract/plan.js';
import type { RuntimeContext } from '../../../contract/plugin.js';
import { RawJson } from '../../../contract/raw-json.js';
import { createMemory } from '../../../plugins/caches/memory/memory.js';
import cacheable from '../../../plugins/features/cacheable/runtime.js';
import { createFrameTools } from '../../support/frame-tools.js';

type DefinitionJson = Readonly<Record<string, Json>>;
type Slot = 'resource' | 'actionable';

const READ: DefinitionJson = { read_from_cache: true, duration: 60 };

/** A cache whose time the test sets; `kept` are the seconds of the entries. */
function setUp() {
  let now = 0;
  const inner = createMemory({ maxEntries: 100, maxBytes: 1_000_000, now: () => now });
  const kept: number[] = [];
  const cache: typeof inner = {
    ...inner,
    setValue: (key, value, seconds, lease) => {
      if (key.startsWith('e')) kept.push(seconds);
      return inner.setValue(key, value, seconds, lease);
    },
  };
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
  const feature = cacheable.create?.({ resolve: () => cache, log } as unknown as RuntimeContext);
  let memos = 0;
  const plan = (slot: Slot, written: Json, place = 'notes', secrets: readonly string[] = []) => {
    const tools = {
      ...createFrameTools(),
      allocateSlot: () => memos++,
      reads: () => [{ from: 'payload', field: 'id', slot: null }],
      ...{ place, version: 'v', secrets: new Set(secrets) },
    } as unknown as PlanTools;
    const value = { cacheable: written };
    const planned = feature?.plan({ slot, value, holder: value, pointer: '' }, tools);
    if (planned === undefined) throw new Error('there is no plan');
    return planned;
  };
  return { plan, kept, pass: (seconds: number) => void (now += seconds * 1000) };
}

/** One request that runs the steps around its work. */
function request(steps: readonly Step[], payload: object = {}, files: readonly unknown[] = []) {
  const [waiting, releases]: [(() => unknown)[], (() => unknown)[]] = [[], []];
  const frame = {
    ...{ payload, claims: null, slots: [], results: [] },
    invocation: { files, onFinish: (work: () => unknown) => void releases.push(work) },
    afterCommit: (work: () => unknown) => void waiting.push(work),
  } as unknown as Frame;
  const [recall, keep] = steps;
  const runAll = async (works: (() => unknown)[]): Promise<void> => {
    for (const work of works.splice(0)) await work();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return {
    releases,
    /** The value out of the cache, or `computes`. */
    recall: async (): Promise<unknown> => {
      const found = await recall?.run(frame, { result: undefined });
      return found instanceof FinalResult ? found.value : 'computes';
    },
    /** The result after it was given to the cache. */
    keep: async (result: unknown): Promise<unknown> => {
      const state = { result };
      await keep?.run(frame, state);
      return state.result;
    },
    commit: () => runAll(waiting),
    end: () => runAll(releases),
  };
}

/** A whole request that computes `result`. */
async function computed(steps: readonly Step[], result: unknown, payload?: object): Promise<unknown> {
  const one = request(steps, payload);
  expect(await one.recall()).to.equal('computes');
  const kept = await one.keep(result);
  await one.commit();
  await one.end();
  return kept;
}

const text = (value: unknown): unknown => (value instanceof RawJson ? Buffer.from(value.json).toString() : value);

describe('cached result', () => {
  it('is the text of a response, as it was serialized, and can still be read', async () => {
    const { plan, kept } = setUp();
    const { steps } = plan('resource', READ);
    const made = new RawJson(Buffer.from('{"a": 1}'), () => null);
    expect(await computed(steps, made)).to.equal(made);
    const found = await request(steps).recall();
    expect([text(found), JSON.stringify(found), kept]).to.deep.equal(['{"a": 1}', '{"a":1}', [60]]);
  });

  it('is null for a resource and an actionable without a result', async () => {
    for (const slot of ['resource', 'actionable'] as const)
      for (const result of [undefined, null]) {
        const { steps } = setUp().plan(slot, READ);
        await computed(steps, result);
        const found = text(await request(steps).recall());
        expect(found).to.equal(slot === 'resource' ? 'null' : null);
      }
  });

  it('omits secrets, whether it is cached or computed', async () => {
    const { plan } = setUp();
    const { steps } = plan('actionable', READ, 'notes#1', ['p']);
    const clear = { a: 1, b: [{ c: 2 }] };
    expect(await computed(steps, { a: 1, p: 2, b: [{ c: 2, p: 3 }] })).to.deep.equal(clear);
    expect(await request(steps).recall()).to.deep.equal(clear);
    const { steps: answer } = plan('resource', READ, 'notes', ['p']);
    expect(await computed(answer, { p: 1 })).to.deep.equal({ p: 1 });
  });

  it('is returned for equal inputs only, during its duration', async () => {
    const { plan, pass } = setUp();
    const { steps } = plan('actionable', { ...READ, cache_key: 'note $PAYLOAD.name' });
    await computed(steps, 'one', { id: 1, name: 'x' });
    const of = (payload: object): Promise<unknown> => request(steps, payload).recall();
    expect(await of({ id: 1, name: 'x', other: 1 })).to.equal('one');
    expect(await of({ id: 2, name: 'x' })).to.equal('computes');
    expect(await of({ id: 1, name: 'y' })).to.equal('computes');
    pass(59.9);
    expect(await of({ id: 1, name: 'x' })).to.equal('one');
    pass(0.2);
    expect(await of({ id: 1, name: 'x' })).to.equal('computes');
  });

  it('belongs to one actionable, although others have the same cache key, and is removed by the key', async () => {
    const { plan } = setUp();
    const named = { ...READ, cache_key: 'shared' };
    const [one, two] = [plan('actionable', named, 'notes#1'), plan('actionable', named, 'notes#2')];
    const whole = plan('resource', named, 'notes#1');
    await computed(one.steps, 'one');
    await computed(two.steps, 'two');
    await computed(whole.steps, 'whole');
    const readAll = (): Promise<unknown[]> =>
      Promise.all([one, two, whole].map(async ({ steps }) => text(await request(steps).recall())));
    expect(await readAll()).to.deep.equal(['one', 'two', '"whole"']);
    const remover = request(plan('actionable', { invalidate_cache_keys: ['shared'] }, 'notes#3').steps);
    await remover.recall();
    await remover.keep(null);
    expect(await readAll()).to.deep.equal(['one', 'two', '"whole"']);
    await remover.commit();
    expect(await readAll()).to.deep.equal(Array(3).fill('computes'));
  });

  it('without a key outlives that of another actionable', async () => {
    const { plan, pass } = setUp();
    const { steps } = plan('actionable', { ...READ, duration: 3600 }, 'notes#2');
    await computed(plan('actionable', READ, 'notes#1').steps, 'short');
    await computed(steps, 'long');
    pass(3000);
    expect(await request(steps).recall()).to.equal('long');
  });

  it('is stored only after the commit', async () => {
    const { plan, kept } = setUp();
    const { steps } = plan('resource', READ);
    const one = request(steps);
    await one.recall();
    await one.keep('x');
    expect(kept).to.deep.equal([]);
    await one.end();
    expect([kept, await request(steps).recall()]).to.deep.equal([[], 'computes']);
  });

  it('is computed by one request while others wait, and by one of these if the first fails', async () => {
    const { plan } = setUp();
    const { steps } = plan('actionable', READ);
    const [first, second, third] = [request(steps), request(steps), request(steps)];
    expect(await first.recall()).to.equal('computes');
    const waiting = [second.recall(), third.recall()];
    await first.end();
    expect(await Promise.race(waiting)).to.equal('computes');
    for (const one of [second, third]) {
      await one.keep('made');
      await one.commit();
    }
    expect((await Promise.all(waiting)).sort()).to.deep.equal(['computes', 'made']);
  });

  it('is computed again by a retried job, which waits for no other and finishes once', async () => {
    const { plan } = setUp();
    const { steps } = plan('actionable', READ);
    const one = request(steps);
    expect([await one.recall(), await one.recall(), one.releases.length]).to.deep.equal(['computes', 'computes', 1]);
    await one.keep('made');
    await one.commit();
    expect(await request(steps).recall()).to.equal('made');
  });

  it('is neither read nor stored for a request with files', async () => {
    const { plan, kept } = setUp();
    const { steps } = plan('resource', READ);
    await computed(steps, 'made');
    const one = request(steps, {}, [{}]);
    expect(await one.recall()).to.equal('computes');
    await one.keep('other');
    await one.commit();
    expect(kept).to.have.length(1);
  });

  it('is read and stored at fixed steps of the plan, outside a transaction', () => {
    const { plan } = setUp();
    const places = (slot: Slot, written: DefinitionJson): unknown[] =>
      plan(slot, written).steps.map(({ phase, order = 0 }) => [phase, order]);
    const both = { ...READ, invalidate_cache_keys: ['a'] };
    // After the guards; a result is stored before it is shaped, a response at the end.
    expect(places('resource', both)).to.deep.equal([
      [1300, 0],
      [1600, 100],
      [1300, 100],
      [1600, 0],
    ]);
    expect(places('actionable', both)).to.deep.equal([
      [200, 100],
      [500, 1000],
      [200, 200],
      [700, 0],
    ]);
    expect([plan('actionable', READ).apart, plan('resource', READ).apart]).to.deep.equal([true, undefined]);
    expect(plan('resource', READ).steps.map(({ takesText }) => takesText === true)).to.deep.equal([false, true]);
    expect(plan('actionable', READ).steps.map(({ total }) => total === true)).to.deep.equal([false, true]);
  });

  it('requires a definition', () => {
    const { plan } = setUp();
    for (const written of [
      {},
      { ...READ, read_from_cache: false },
      { ...READ, read_from_cache: 'true' },
      'x',
      [],
    ] as Json[])
      expect(plan('actionable', written), JSON.stringify(written)).to.deep.equal({ steps: [] });
    expect(plan('actionable', { invalidate_cache_keys: ['a'] })).not.to.have.property('apart');
    expect(plan('actionable', { invalidate_cache_keys: 'a' })).to.deep.equal({ steps: [] });
  });
});
