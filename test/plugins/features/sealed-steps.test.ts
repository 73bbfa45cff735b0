/**
 * `hashables` and `ciphers` step by step, with a readable cipher: which values are encrypted or decrypted, and how
 * many.
 */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Frame, PlanTools, Repeat } from '../../../contract/plan.js';
import type { PluginRuntime, RuntimeContext } from '../../../contract/plugin.js';
import { ResourcePhase } from '../../../contract/slot.js';
import ciphers from '../../../plugins/features/ciphers/runtime.js';
import hashables from '../../../plugins/features/hashables/runtime.js';
import type { Feature } from '../../../plugins/features/kind.js';
import { createFrameTools, type FieldDemands } from '../../support/frame-tools.js';
import { createTestInvocation } from '../../support/invocation.js';

const TAG = Buffer.alloc(16);
/** Sixteen bytes are the tag; additional data is part of it, so that other data opens nothing. */
const CIPHER = {
  keyBytes: 16,
  nonceBytes: 12,
  key: () => ({
    seal: (_nonce: Uint8Array, plain: Uint8Array, bound: Uint8Array) =>
      Buffer.concat([plain, TAG.map((_, i) => bound.at(-1 - i) ?? 0)]),
    open: (_nonce: Uint8Array, sealed: Uint8Array, bound: Uint8Array) =>
      sealed.subarray(-16).every((byte, i) => byte === (bound.at(-1 - i) ?? 0)) ? sealed.subarray(0, -16) : null,
  }),
};
const encoding = (most: number | null) => ({
  most,
  encode: (bytes: Uint8Array) => Buffer.from(bytes).toString('hex'),
  decode: (text: string) => (/^([0-9a-f]{2})+$/.test(text) ? Buffer.from(text, 'hex') : null),
});
const HASHER = {
  checkText: (text: string) => (text === 'bad' ? { code: 'bad', detail: 'is bad' } : null),
  compileHash: () => (text: string, salt: string) => Promise.resolve(`#${text}${salt}`),
};

interface Around extends FieldDemands {
  readonly repeat?: Partial<Repeat>;
  readonly names?: readonly string[];
  readonly most?: number;
  readonly slots?: readonly unknown[];
}
interface Ran {
  readonly payload: unknown;
  readonly result: unknown;
  readonly slots: readonly unknown[];
}

async function ran(
  runtime: PluginRuntime<Feature>,
  value: Readonly<Record<string, Json>>,
  payload: unknown,
  result: unknown = null,
  around: Around = {},
): Promise<Ran> {
  const { repeat, names = [], most = null, slots = [] } = around;
  let memos = 10;
  const tools = {
    ...createFrameTools(undefined, around),
    repeat: repeat === undefined ? null : { body: false, pointer: null, name: null, ...repeat },
    allocateSlot: () => memos++,
    slot: (name: string) => (names.includes(name) ? names.indexOf(name) : null),
    recordPayloadRead: () => undefined,
    tables: [],
    testing: false,
  } as unknown as PlanTools;
  const resolve = ({ kind }: { readonly kind: string }): unknown =>
    ({ cipher: CIPHER, encoding: encoding(most), hasher: HASHER })[kind as 'cipher'];
  const feature = runtime.create?.({ resolve } as unknown as RuntimeContext);
  const frame = { payload, slots: [...slots], invocation: createTestInvocation() } as unknown as Frame;
  const state = { result };
  const { steps = [] } = feature?.plan({ slot: 'actionable', value, holder: value, pointer: '' }, tools) ?? {};
  const place = ({ phase }: { readonly phase: number }): number => (phase > 1000 ? phase - 2000 : phase);
  for (const step of steps.toSorted((a, b) => place(a) - place(b) || (a.order ?? 0) - (b.order ?? 0)))
    await step.run(frame, state);
  return { payload: frame.payload, result: state.result, slots: frame.slots };
}
const catchCode = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no fault',
    (error: unknown) => (error instanceof Fault ? error.code : error),
  );
const createItems = (count: number, item: unknown = 'x'): unknown[] => Array.from({ length: count }, () => item);

describe('hashed fields', () => {
  const hash = async (property: string, payload: unknown, around: Around = {}): Promise<unknown> =>
    (
      await ran(
        hashables,
        { hashables: [{ property, algorithm: 'A', options: { salt: '$PAYLOAD.s' } }] },
        payload,
        null,
        around,
      )
    ).payload;

  it('are texts at their path, in each item of a list; absent ones that no query writes stay absent', async () => {
    expect(await hash('p', { p: 'x', s: '!', q: 'y' })).to.deep.equal({ p: '#x!', s: '!', q: 'y' });
    expect(await hash('u.p', { u: [{ p: 'x' }, { q: 1 }, { p: null }], s: '' })).to.deep.equal({
      u: [{ p: '#x' }, { q: 1 }, { p: null }],
      s: '',
    });
    for (const payload of [{}, { p: null }, []]) expect(await hash('p', payload)).to.equal(payload);
  });

  it('include those of the items for which a statement is repeated, each once', async () => {
    const around = { repeat: { pointer: '/items' } };
    expect(await hash('p', { s: '', p: 'x', items: [{ p: 'y' }] }, around)).to.deep.equal({
      s: '',
      p: '#x',
      items: [{ p: '#y' }],
    });
    expect(await hash('items.p', { s: '', items: [{ p: 'y' }] }, around)).to.deep.equal({
      s: '',
      items: [{ p: '#y' }],
    });
    expect(await hash('p', { s: '', items: [{ p: 'y' }] })).to.deep.equal({ s: '', items: [{ p: 'y' }] });
  });

  it('reject values that are not text, with the pointer of each', async () => {
    const issues = await hash('u.p', { u: [{ p: 'bad' }, { p: 7 }, { p: 'x' }, { p: '' }], s: '' }).catch(
      (error: Fault) => error.options.issues,
    );
    expect(issues).to.deep.equal([
      { pointer: '/u/0/p', code: 'bad', detail: 'is bad' },
      { pointer: '/u/1/p', code: 'type', detail: 'must be text' },
    ]);
  });

  it('are hashed before the work, and not if a cache responds', () => {
    const feature = hashables.create?.({ resolve: () => HASHER } as unknown as RuntimeContext);
    const value = { hashables: [{ property: 'p', algorithm: 'A' }] };
    const tools = {
      ...createFrameTools(),
      repeat: null,
      allocateSlot: () => 0,
      recordPayloadRead: () => undefined,
    } as unknown as PlanTools;
    const { steps = [] } = feature?.plan({ slot: 'actionable', value, holder: value, pointer: '' }, tools) ?? {};
    expect(steps.map(({ phase }) => phase > ResourcePhase.RECALL && phase < ResourcePhase.ACT)).to.deep.equal([
      true,
      false,
    ]);
  });

  it('are at most 100', async () => {
    expect(await catchCode(hash('u.p', { u: createItems(100, { p: 'x' }), s: '' }))).to.equal('no fault');
    expect(await catchCode(hash('u.p', { u: createItems(101, { p: 'x' }), s: '' }))).to.equal('HSH_TOO_MANY');
  });
});

const entry = (operation: string, properties: string[], options: object = {}): Json => ({
  ...{ operation, algorithm: 'A', properties },
  options: { key: '8f1c5a7e9b2d4c6f', ...options },
});

describe('encrypted and decrypted fields', () => {
  const seal = async (
    property: string,
    payload: unknown,
    around: Around = {},
    options: object = {},
  ): Promise<unknown> =>
    (await ran(ciphers, { ciphers: [entry('Encrypt', [property], options)] }, payload, null, around)).payload;
  const open = async (
    property: string,
    result: unknown,
    options: object = {},
    payload: unknown = {},
  ): Promise<unknown> =>
    (await ran(ciphers, { ciphers: [entry('Decrypt', [property], options)] }, payload, result)).result;

  it('are restored at their path, in each row', async () => {
    for (const value of ['x', 7, true, { a: [1] }, ['a']]) {
      const sealed = (await seal('p', { p: value, q: 1 })) as { readonly p: string };
      const wrapped = Array.isArray(value) ? value : null;
      expect(sealed.p, JSON.stringify(value)).to.match(/^01[0-9a-f]+$/);
      expect(await open('p', { p: sealed.p, q: 1 })).to.deep.equal({ p: wrapped ?? value, q: 1 });
    }
    const { u } = (await seal('u.p', { u: [{ p: 'x' }, {}, { p: null }] })) as { readonly u: readonly object[] };
    expect(await open('u.p', [{ u }, null, { u: 7 }])).to.deep.equal([
      { u: [{ p: 'x' }, {}, { p: null }] },
      null,
      { u: 7 },
    ]);
  });

  it('are decrypted one by one in a list', async () => {
    const { p } = (await seal('p', { p: 'x' })) as { readonly p: string };
    expect(await open('p', { p: [p, null, [p]] })).to.deep.equal({ p: ['x', null, ['x']] });
  });

  it('are rejected if they were not encrypted, or with other additional data', async () => {
    const { p } = (await seal('p', { p: 'x' }, {}, { aad: 'a' })) as { readonly p: string };
    expect(await open('p', { p }, { aad: 'a' })).to.deep.equal({ p: 'x' });
    expect(await open('p', { p }, { aad: '$PAYLOAD.b' }, { b: 'a' })).to.deep.equal({ p: 'x' });
    expect(await catchCode(open('p', { p }, { aad: 'b' }))).to.equal('CPH_OPEN');
    for (const other of ['', 'x', 7, true, {}, `02${p.slice(2)}`, p.slice(0, 56)])
      expect(await catchCode(open('p', { p: other }, { aad: 'a' })), JSON.stringify(other)).to.equal('CPH_OPEN');
  });

  it('are decrypted with the payload as it was before anything was encrypted', async () => {
    const { p, q } = (await seal('p', { p: 'x', q: 'y' }, {}, { aad: '$PAYLOAD.q' })) as Readonly<
      Record<string, string>
    >;
    expect(await open('p', { p }, { aad: '$PAYLOAD.q' }, { q })).to.deep.equal({ p: 'x' });
  });

  it('are bound, under names that others set, to the payload as it was sent', async () => {
    const value = { ciphers: [entry('Encrypt', ['q', 'n.p'], { aad: '$PAYLOAD.q' })] };
    const { payload, slots } = await ran(ciphers, value, { q: 'y' }, null, { names: ['n'], slots: [{ p: 'x' }] });
    expect(payload).not.to.deep.equal({ q: 'y' });
    expect(await open('p', slots[0], { aad: 'y' })).to.deep.equal({ p: 'x' });
  });

  it('are encrypted in the items for which a statement is repeated, and under names that others set', async () => {
    const { items } = (await seal('p', { items: [{ p: 'x' }] }, { repeat: { pointer: '/items' } })) as {
      readonly items: readonly object[];
    };
    expect(await open('p', items)).to.deep.equal([{ p: 'x' }]);
    const value = { ciphers: [entry('Encrypt', ['n.p'])] };
    const { slots } = await ran(ciphers, value, {}, null, { names: ['n'], slots: [{ p: 'x', q: 1 }] });
    expect(await open('p', slots[0])).to.deep.equal({ p: 'x', q: 1 });
  });

  it('are rejected in items of a result, which would be written in plain text', async () => {
    const of = (items: unknown): Promise<unknown> => catchCode(seal('p', {}, { repeat: { read: () => items } }));
    expect(await of([{ q: 1 }, { p: 'x' }])).to.equal('CPH_ITEMS');
    for (const items of [[{ q: 1 }], [null, 'p'], null, undefined]) expect(await of(items)).to.equal('no fault');
    expect(await catchCode(seal('p', {}, { repeat: { body: true, read: () => [{ p: 'x' }] } }))).to.equal('no fault');
  });

  it('are required if a query writes them and no rule makes them optional', async () => {
    const writes = ['p'];
    for (const payload of [{}, { p: null }, { items: [{ p: 'x' }, {}] }]) {
      const around = { writes, ...('items' in payload && { repeat: { pointer: '/items' } }) };
      expect(await catchCode(seal('p', payload, around)), JSON.stringify(payload)).to.equal('VAL_PAYLOAD');
      expect(await catchCode(seal('p', payload, { ...around, optional: ['p'] }))).to.equal('no fault');
      expect(await catchCode(seal('p', payload, { ...around, writes: ['q'] }))).to.equal('no fault');
    }
    expect(await catchCode(seal('p', { p: '' }, { writes }))).to.equal('no fault');
    const catchSealCode = (value: unknown, around: Around): Promise<unknown> =>
      catchCode(seal('n.p', {}, { ...around, names: ['n'], slots: [value] }));
    for (const value of [{}, { p: null }, undefined]) {
      expect(await catchSealCode(value, { writes: ['n.p'] })).to.equal('CPH_NAME');
      expect(await catchSealCode(value, {})).to.equal('no fault');
    }
    expect(await catchSealCode({ p: 'x' }, { writes: ['n.p'] })).to.equal('no fault');
  });

  it('are at most 1000 to encrypt, and 10 000 to decrypt', async () => {
    const sealed = (await seal('u', { u: 'x' })) as { readonly u: string };
    for (const [count, code] of [
      [1000, 'no fault'],
      [1001, 'CPH_TOO_MANY'],
    ] as const)
      expect(await catchCode(seal('l.p', { l: createItems(count, { p: 'x' }) }))).to.equal(code);
    for (const [count, code] of [
      [10_000, 'no fault'],
      [10_001, 'CPH_MANY_ROWS'],
    ] as const)
      expect(await catchCode(open('u', [{ u: createItems(count, sealed.u) }])), `${count}`).to.equal(code);
  });

  it('are counted in the items for which a statement is repeated, too', async () => {
    const around = { repeat: { pointer: '/items' } };
    expect(await catchCode(seal('p', { items: createItems(1001, { p: 'x' }) }, around))).to.equal('CPH_TOO_MANY');
  });

  it('let other work run while a long list is decrypted', async () => {
    const { u } = (await seal('u', { u: 'x' })) as { readonly u: string };
    let others = 0;
    const opened = open('u', createItems(201, { u }));
    setImmediate(() => others++);
    await opened;
    expect(others).to.equal(1);
  });

  it('are decrypted in every row of a long list, in order', async () => {
    const { u } = (await seal('u', { u: 'x' })) as { readonly u: string };
    for (const count of [199, 200, 201, 400, 401]) {
      const rows = Array.from({ length: count }, (_, n) => ({ n, u }));
      expect(await open('u', rows)).to.deep.equal(rows.map(({ n }) => ({ n, u: 'x' })));
    }
  });

  it('have the length of the encoding, in bytes of their JSON', async () => {
    // Version, nonce and tag are 29 bytes.
    expect(await catchCode(seal('p', { p: 'é' }, { most: 29 + 4 }))).to.equal('no fault');
    expect(await catchCode(seal('p', { p: 'éx' }, { most: 29 + 4 }))).to.equal('CPH_TOO_LONG');
  });
});
