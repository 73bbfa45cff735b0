/**
 * Hashed fields and hash comparisons, step by step without a request or a hash algorithm: accepted and rejected texts,
 * the resulting payload, and inputs of a cached response.
 */
import { expect } from 'chai';
import { isObject, type Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Repeat, Step } from '../../../contract/plan.js';
import type { PluginRuntime, RuntimeContext } from '../../../contract/plugin.js';
import hashables from '../../../plugins/features/hashables/runtime.js';
import verifyHashables from '../../../plugins/features/verify-hashables/runtime.js';
import type { Feature, FeaturePlan } from '../../../plugins/features/kind.js';
import type { Hasher } from '../../../plugins/hashers/kind.js';
import { createFrameTools, type FieldDemands } from '../../support/frame-tools.js';

type DefinitionJson = Readonly<Record<string, Json>>;

interface Around extends FieldDemands {
  readonly repeat?: Partial<Repeat>;
  /** Names that an actionable sets, by slot. */
  readonly names?: readonly string[];
  readonly slots?: readonly unknown[];
}

/** Hashes as `<text|salt>`, rejects texts that begin with `!`, and records its calls. */
function trial(runtime: PluginRuntime<Feature>, written: DefinitionJson, around: Around = {}) {
  const [read, used, asked, verified]: [unknown[], string[], unknown[], unknown[]] = [[], [], [], []];
  let [active, most] = [0, 0];
  const algorithm: Hasher = {
    checkText: (text) => (text.startsWith('!') ? { code: 'odd', detail: 'must not be odd' } : null),
    compileHash: (options) => {
      asked.push(options);
      return async (text, salt) => {
        most = Math.max(most, ++active);
        await Promise.resolve();
        active--;
        return `<${text}|${salt}>`;
      };
    },
    createVerifier: () => (text, stored) => Promise.resolve(verified.push([text, stored]) > 0 && text === stored),
  };
  const resolve = (_kind: unknown, name: string): Hasher => (used.push(name), algorithm);
  const { repeat, names = [] } = around;
  let memos = names.length;
  const tools = {
    ...createFrameTools({}, around),
    allocateSlot: () => memos++,
    slot: (name: string) => (names.includes(name) ? names.indexOf(name) : null),
    recordPayloadRead: (field: string | null) => void read.push(field),
    repeat: repeat === undefined ? null : { body: false, pointer: null, name: null, ...repeat },
  } as unknown as PlanTools;
  const feature = runtime.create?.({ resolve } as unknown as RuntimeContext);
  const plan = feature?.plan(
    { slot: 'actionable', value: written, holder: written, pointer: '' },
    tools,
  ) as FeaturePlan;
  return { plan, read, used, asked, verified, most: () => most };
}

const outcome = async (work: () => unknown): Promise<unknown> => {
  try {
    return await work();
  } catch (error) {
    return error;
  }
};

describe('hashed fields', () => {
  const entry = (property: string, options?: Json): Json => ({
    property,
    algorithm: 'X',
    ...(options !== undefined && { options }),
  });

  async function done(items: Json, payload: unknown, around: Around = {}): Promise<Frame> {
    const { plan } = trial(hashables, { hashables: items }, around);
    const slots = [...(around.slots ?? [])];
    const frame = { payload, received: payload, slots, invocation: {} } as unknown as Frame;
    for (const step of plan.steps.toSorted((a, b) => b.phase - a.phase)) await step.run(frame, { result: null });
    expect(frame.received).to.equal(payload);
    return frame;
  }
  const hashed = async (items: Json, payload: unknown, around: Around = {}): Promise<unknown> =>
    (await done(items, payload, around)).payload;
  const catchRejection = async (items: Json, payload: unknown, around: Around = {}): Promise<unknown> => {
    const failure = await outcome(() => hashed(items, payload, around));
    const { code, params, options } = failure as { code: string; params: object; options: { issues?: unknown } };
    return { code, params, issues: options.issues };
  };

  it('are replaced inside the limiter of the actionable, after all were hashed one by one', async () => {
    const { plan, most } = trial(hashables, { hashables: [entry('a'), entry('b.c')] });
    const payload = { a: 'x', b: { c: 'y', d: 'z' } };
    const frame = { payload, slots: [] } as unknown as Frame;
    const [hash, replace] = plan.steps as [Step, Step];
    expect([hash.phase > 1300 && hash.phase < 1400, replace.phase, replace.seals]).to.deep.equal([true, 300, true]);
    await hash.run(frame, { result: null });
    expect(frame.payload).to.equal(payload);
    void replace.run(frame, { result: null });
    expect(frame.payload).to.deep.equal({ a: '<x|>', b: { c: '<y|>', d: 'z' } });
    expect(payload).to.deep.equal({ a: 'x', b: { c: 'y', d: 'z' } });
    expect(most()).to.equal(1);
  });

  it('are inputs of a cached response', () => {
    const { read } = trial(hashables, { hashables: [entry('user.password'), entry('pin')] });
    expect(read).to.deep.equal(['user', 'pin']);
  });

  it('have an algorithm each, its options, and a salt that may be in the request', async () => {
    const items = [entry('a', { salt: '$PAYLOAD.s', rounds: 4 }), entry('b')];
    const { used, asked } = trial(hashables, { hashables: items });
    expect([used, asked]).to.deep.equal([
      ['X', 'X'],
      [{ salt: '$PAYLOAD.s', rounds: 4 }, {}],
    ]);
    expect(await hashed(items, { a: 'x', b: 'y', s: 'salt' })).to.deep.equal({ a: '<x|salt>', b: '<y|>', s: 'salt' });
    expect(await hashed([entry('a', 'no object')], { a: 'x' })).to.deep.equal({ a: '<x|>' });
  });

  it('may be absent, null or empty', async () => {
    const payload = { b: null, c: '' };
    expect(await hashed([entry('a'), entry('b'), entry('c')], payload)).to.deep.equal({ b: null, c: '<|>' });
    expect(await hashed([entry('a')], payload)).to.equal(payload);
  });

  it('are none without a list of entries', () => {
    for (const written of ['a', {}, [], ['a', null, 7]] as Json[])
      expect(trial(hashables, { hashables: written }).plan, JSON.stringify(written)).to.deep.equal({ steps: [] });
  });

  it('include those of each item if the statement is repeated for a list', async () => {
    const payload = { p: 'x', lines: [{ p: 'y' }, { q: 1 }] };
    const both = { p: '<x|>', lines: [{ p: '<y|>' }, { q: 1 }] };
    expect(await hashed([entry('p')], payload, { repeat: { pointer: '/lines' } })).to.deep.equal(both);
    expect(await hashed([entry('p')], payload)).to.deep.equal({ ...payload, p: '<x|>' });
    expect(
      await hashed([entry('p')], { a: { lines: [{ p: 'y' }] } }, { repeat: { pointer: '/a/lines' } }),
    ).to.deep.equal({
      a: { lines: [{ p: '<y|>' }] },
    });
    expect(await hashed([entry('lines.p')], payload, { repeat: { pointer: '/lines' } })).to.deep.equal({
      ...both,
      p: 'x',
    });
    expect(
      await hashed([entry('p')], [{ p: 'x', lines: [{ p: 'y' }] }], { repeat: { pointer: '/lines' } }),
    ).to.deep.equal([{ p: '<x|>', lines: [{ p: 'y' }] }]);
    const body = { body: true, read: () => [{ p: 'y' }] };
    expect(await hashed([entry('p')], payload, { repeat: body })).to.deep.equal({ ...payload, p: '<x|>' });
  });

  it('are rejected in items of a result, which would be written in plain text', async () => {
    const of = (items: unknown): Promise<unknown> =>
      outcome(() => hashed([entry('p')], { p: 'x' }, { repeat: { read: () => items } }));
    expect(await of([{ q: 1 }, { p: 'y' }])).to.include({ code: 'HSH_ITEMS' });
    for (const items of [[{ q: 1 }], [null, 'p'], null, undefined])
      expect(await of(items), JSON.stringify(items)).to.deep.equal({ p: '<x|>' });
  });

  it('are required if a query writes them and no rule makes them optional, in each item too', async () => {
    const catchIssues = async (payload: unknown, around: Around, property = 'p'): Promise<unknown> => {
      const { code, issues } = (await catchRejection([entry(property)], payload, around)) as Record<string, unknown>;
      expect(code).to.equal('VAL_PAYLOAD');
      return (issues as { pointer: string; code: string }[]).map(({ pointer, code }) => `${pointer} ${code}`);
    };
    const writes = ['p'];
    for (const payload of [{}, { p: null }]) {
      expect(await catchIssues(payload, { writes })).to.deep.equal(['/p required']);
      for (const around of [{ writes, optional: ['p'] }, { writes: ['q', 'p.q'] }])
        expect(await hashed([entry('p')], payload, around)).to.equal(payload);
    }
    expect(await hashed([entry('p')], { p: '' }, { writes })).to.deep.equal({ p: '<|>' });
    expect(await catchIssues({ u: {} }, { writes: ['u'] }, 'u.p')).to.deep.equal(['/u/p required']);
    const around = { writes, repeat: { pointer: '/lines' } };
    expect(await catchIssues({ lines: [{ p: 'x' }, {}, { p: null }] }, around)).to.deep.equal([
      ...['/lines/1/p required', '/lines/2/p required'],
    ]);
    expect(await hashed([entry('p')], { p: 'x', lines: [{}] }, around)).to.deep.equal({ p: '<x|>', lines: [{}] });
    // The own field of an item wins over the payload.
    expect(await catchIssues({ p: 'x', lines: [{}, { p: null }] }, around)).to.deep.equal(['/lines/1/p required']);
    const inside = { ...around, writes: ['u.p'] };
    expect(await catchIssues({ u: { p: 'x' }, lines: [{}, { u: {} }] }, inside, 'u.p')).to.deep.equal([
      '/lines/1/u/p required',
    ]);
    expect(await hashed([entry('lines.p')], { lines: [{ p: 'x' }] }, { ...around, writes: ['lines'] })).to.deep.equal({
      lines: [{ p: '<x|>' }],
    });
    expect(await catchIssues([{ p: 'x' }, {}], { writes })).to.deep.equal(['/1/p required']);
  });

  it('are covered under names that actionables set: hashed in the work, rejected if that is impossible', async () => {
    const hashUnder = async (value: unknown, around: Around = {}, property = 'n.p'): Promise<unknown> => {
      const { slots, payload } = await done(
        [entry(property)],
        { n: 'sent' },
        { ...around, names: ['n'], slots: [value] },
      );
      expect(payload).to.deep.equal({ n: 'sent' });
      return slots[0];
    };
    const catchCode = async (value: unknown, around: Around = {}): Promise<unknown> =>
      ((await outcome(() => hashUnder(value, around))) as { code?: unknown }).code;
    expect(await hashUnder('x', {}, 'n')).to.equal('<x|>');
    expect(await hashUnder({ p: 'x', q: 1 })).to.deep.equal({ p: '<x|>', q: 1 });
    expect(await hashUnder([{ p: 'x' }, { p: 'x' }])).to.deep.equal([{ p: '<x|>' }, { p: '<x|>' }]);
    expect(await hashUnder({ p: null })).to.deep.equal({ p: null });
    for (const value of [{}, { p: null }, undefined])
      expect(await catchCode(value, { writes: ['n.p'] }), JSON.stringify(value)).to.equal('HSH_NAME');
    for (const value of [{ p: 7 }, { p: '!' }]) expect(await catchCode(value)).to.equal('HSH_NAME');
    expect(await catchCode(Array.from({ length: 101 }, (_, n) => ({ p: `${n}` })))).to.equal('HSH_TOO_MANY');
  });

  it('are rejected by pointer if they are not text or invalid for the algorithm, all together', async () => {
    expect(
      await catchRejection([entry('a'), entry('b.c'), entry('d')], { a: 7, b: [{ c: 'x' }, { c: '!' }], d: {} }),
    ).to.deep.equal({
      code: 'VAL_PAYLOAD',
      params: { first: 'a must be text.' },
      issues: [
        { pointer: '/a', code: 'type', detail: 'must be text' },
        { pointer: '/b/1/c', code: 'odd', detail: 'must not be odd' },
        { pointer: '/d', code: 'type', detail: 'must be text' },
      ],
    });
  });

  it('are at most a hundred in one request', async () => {
    const users = (count: number): object => ({ u: Array.from({ length: count }, () => ({ p: 'x', q: 'y' })) });
    const items = [entry('u.p'), entry('u.q')];
    expect(JSON.stringify(await hashed(items, users(50))).match(/</g)).to.have.length(100);
    const [code, params] = Object.values((await catchRejection(items, users(51))) as object) as unknown[];
    expect([code, params]).to.deep.equal(['HSH_TOO_MANY', { max: 100 }]);
  });
});

describe('fields compared with hashes', () => {
  const entry = (property: string, hash_field?: Json): Json => ({
    property,
    algorithm: 'X',
    ...(hash_field !== undefined && { hash_field }),
  });
  async function compared(items: Json, result: unknown, received: object = { p: 'x' }) {
    const { plan, verified, read, used } = trial(verifyHashables, { verify_hashables: items });
    const [step] = plan.steps;
    const frame = { payload: { p: 'hashed' }, received, slots: [] } as unknown as Frame;
    const failure = await outcome(() => step?.run(frame, { result }));
    return { code: isObject(failure) && 'code' in failure ? failure.code : failure, verified, plan, read, used };
  }
  const PASSES = undefined;

  it('are payload fields, compared with the column of the same name or the named one', async () => {
    const passes = async (items: Json, result: unknown, received?: object): Promise<unknown> =>
      (await compared(items, result, received)).code;
    expect(await passes([entry('p')], { p: 'x' })).to.equal(PASSES);
    expect(await passes([entry('p')], { p: 'hashed' })).to.equal('VER_FAILED');
    expect(await passes([entry('p', 'hash')], { p: 'y', hash: 'x' })).to.equal(PASSES);
    expect(await passes([entry('p', '')], { p: 'x' })).to.equal(PASSES);
    expect(await passes([entry('user.p')], { p: 'x' }, { user: { p: 'x' } })).to.equal(PASSES);
  });

  it('need the one row, and a field of its own', async () => {
    const compareStored = async (result: unknown, field = 'p'): Promise<unknown> =>
      (await compared([entry('p', field)], result)).verified;
    for (const result of [{ p: 'x' }, [{ p: 'x' }]]) expect(await compareStored(result)).to.deep.equal([['x', 'x']]);
    for (const result of [null, undefined, 'x', [], [{ p: 'x' }, { p: 'x' }], ['x'], [null], [[{ p: 'x' }]], {}])
      expect(await compareStored(result), JSON.stringify(result)).to.deep.equal([['x', undefined]]);
    expect(await compareStored({}, 'constructor')).to.deep.equal([['x', undefined]]);
  });

  it('are all compared, also if an earlier one does not match, and fail without any', async () => {
    const { code, verified } = await compared([entry('p'), entry('q')], { p: 'other', q: 'z' }, { p: 'x', q: 'z' });
    expect([code, verified]).to.deep.equal([
      'VER_FAILED',
      [
        ['x', 'other'],
        ['z', 'z'],
      ],
    ]);
    for (const items of [[], 'x', ['p', 7]] as Json[])
      expect((await compared(items, { p: 'x' })).code, JSON.stringify(items)).to.equal('VER_FAILED');
  });

  it('are compared before a missing row is reported, within the limiter, and are inputs of a cached response', async () => {
    const { plan, read, used } = await compared([entry('user.p'), entry('q')], {});
    const [{ phase, order = 0, turns } = {} as Step] = plan.steps;
    expect([phase, order < 0, typeof turns, plan.presumes]).to.deep.equal([500, true, 'object', true]);
    expect([read, used]).to.deep.equal([
      ['user', 'q'],
      ['X', 'X'],
    ]);
  });
});
