/**
 * Chains and responses over real HTTP, without SQL: `depends_on`, names, main results, `returnables`, envelopes, paths.
 */
import { expect } from 'chai';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const self = (action: number, ...extracts: readonly (readonly [extract: string, name: string])[]): object => ({
  resource_id: 'self',
  action_ids: [action],
  ...(extracts.length > 0 && { extract_response_for: extracts.map(([extract, name]) => ({ extract, for: name })) }),
});
const source = {
  id: 1,
  mode: 'RETURN',
  no_op: true,
  value: { n: 7, rows: [{ sku: 'a' }, { sku: 'b' }], deep: { er: null } },
};
const chain = (id: string, value: unknown, ...dependencies: readonly object[]): object => ({
  id,
  resource: id,
  actionables: [source, { id: 2, mode: 'RETURN', value, depends_on: dependencies }],
});

const FILES = {
  'definitions/chains.json': [
    chain('extract', { n: '$PAYLOAD.got', sku: '$PAYLOAD.sku' }, self(1, ['n', 'got'], ['rows.1.sku', 'sku'])),
    chain('whole', '$PAYLOAD.all', self(1, ['self_', 'all'])),
    chain('inside-name', '$PAYLOAD.all.rows.0.sku', self(1, ['self_', 'all'])),
    chain('null-is-a-value', { v: '$PAYLOAD.v' }, self(1, ['deep.er', 'v'])),
    chain('absent', { v: '$PAYLOAD.v' }, self(1, ['rows.9.sku', 'v'])),
    {
      id: 'poison',
      resource: 'poison',
      actionables: [
        { id: 1, mode: 'RETURN', no_op: true, value: '$PAYLOAD.deep' },
        { id: 2, mode: 'RETURN', value: { v: '$PAYLOAD.v' }, depends_on: [self(1, ['constructor', 'v'])] },
      ],
    },
    chain('wins', { v: '$PAYLOAD.n' }, self(1, ['n', 'n'])),
    {
      id: 'elsewhere',
      resource: 'elsewhere',
      actionables: [
        {
          id: 1,
          mode: 'RETURN',
          value: { from: '$PAYLOAD.x' },
          depends_on: [{ resource_id: 'echo', action_ids: [1], extract_response_for: [{ extract: 'v', for: 'x' }] }],
        },
      ],
    },
    defineReturnResource('echo', { v: '$PAYLOAD.v' }),
    { id: 'unreachable', resource: 'unreachable', actionables: [{ ...source }] },
    {
      id: 'last',
      resource: 'last',
      actionables: [
        { id: 1, mode: 'RETURN', value: 'first' },
        { id: 2, mode: 'RETURN', value: 'last', depends_on: [self(3)] },
        { id: 3, mode: 'RETURN', value: 'helper', no_op: true },
      ],
    },
    {
      id: 'main',
      resource: 'main',
      actionables: [
        { id: 1, mode: 'RETURN', value: 'main', main_returnable: true },
        { id: 2, mode: 'RETURN', value: 'last' },
      ],
    },
  ],
};

describe('chains', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES })));
  after(() => kernel.close());
  const value = async (path: string, body: unknown = {}): Promise<unknown> => (await kernel.post(path, body)).body;

  it('extract values of an earlier result by dotted path and index', async () => {
    expect(await value('/extract')).to.deep.equal({ n: 7, sku: 'b' });
  });

  it('read the whole result with `self_`, and a path may follow the name', async () => {
    expect(await value('/whole')).to.deep.equal(source.value);
    expect(await value('/inside-name')).to.equal('a');
  });

  it('accept null as a value', async () => {
    expect(await value('/null-is-a-value')).to.deep.equal({ v: null });
  });

  for (const path of ['/absent', '/poison']) {
    it(`${path}: end at a missing path`, async () => {
      const { status, body } = await kernel.post(path, { v: 'from the payload', deep: {} });
      expect([status, body['code']]).to.deep.equal([422, 'DEP_UNRESOLVED']);
    });
  }

  it('use an extracted name instead of the payload', async () => {
    expect(await value('/wins', { n: 'payload' })).to.deep.equal({ v: 7 });
  });

  it('run an actionable of another resource with the payload of the caller', async () => {
    expect(await value('/elsewhere', { v: 5 })).to.deep.equal({ from: 5 });
    expect((await kernel.post('/elsewhere', {})).status).to.equal(422);
  });

  it('return 404 for a resource with only `no_op` actionables', async () => {
    expect((await kernel.post('/unreachable')).status).to.equal(404);
  });

  it('return the last actionable that is not `no_op`, or the one marked main', async () => {
    expect(await value('/last')).to.equal('last');
    expect(await value('/main')).to.equal('main');
  });
});

const ROW = { id: 1, name: 'Ada', address: { city: 'Turin', zip: '1' }, tags: ['x', 'y'], none: null };
const LIST = [ROW, { id: 2, name: 'Bo' }];
const onAction = (id: string, value: unknown, returnables: readonly string[]): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'RETURN', value, returnables }],
});

const ANSWERS = {
  'definitions/answers.json': [
    onAction('keep', ROW, ['id', 'address.city', 'missing', 'tags.1', 'none']),
    onAction('keep-list', LIST, ['name']),
    onAction('keep-covered', ROW, ['address', 'address.city', 'tags', 'tags.0']),
    onAction('keep-text', 'text', ['id']),
    onAction('keep-inherited', ROW, ['toString', 'constructor', '__proto__', 'id']),
    defineReturnResource('row', ROW, { returnables: ['name', 'address.zip', 'missing'] }),
    defineReturnResource('row-covered', ROW, { returnables: ['address.city', 'address'] }),
    defineReturnResource('list', LIST, { returnables: ['id'] }),
    defineReturnResource('nothing', null, { returnables: ['id'] }),
    {
      id: 'look-up',
      resource: 'look-up',
      actionables: [
        { id: 1, mode: 'RETURN', value: { who: 'one', one: 1, shade: 'first' } },
        { id: 2, mode: 'RETURN', value: { who: 'two', two: 2, shade: 'second', hidden: 'h' } },
        {
          id: 3,
          mode: 'RETURN',
          value: { who: 'three', empty: null },
          depends_on: [self(2, ['hidden', 'extracted'])],
        },
        { id: 4, mode: 'RETURN', no_op: true, value: { never: true } },
      ],
      returnables: ['who', 'one', 'two', 'shade', 'extracted', 'never'],
    },
    {
      id: 'null-counts',
      resource: 'null-counts',
      actionables: [
        { id: 1, mode: 'RETURN', value: { note: "somebody else's" } },
        { id: 2, mode: 'RETURN', value: { id: 2, note: null } },
      ],
      returnables: ['id', 'note'],
    },
  ],
};

describe('returnables', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: ANSWERS })));
  after(() => kernel.close());
  const value = async (path: string): Promise<unknown> => (await kernel.post(path)).body;

  it('on an actionable select these names at their path, including null values and without missing ones', async () => {
    expect(await value('/keep')).to.deep.equal({ id: 1, address: { city: 'Turin' }, tags: { 1: 'y' }, none: null });
  });

  it('select from each row of a list, and do not change plain values', async () => {
    expect(await value('/keep-list')).to.deep.equal([{ name: 'Ada' }, { name: 'Bo' }]);
    expect(await value('/keep-text')).to.equal('text');
  });

  it('select the paths inside a name, in either order', async () => {
    expect(await value('/keep-covered')).to.deep.equal({ address: ROW.address, tags: ROW.tags });
    expect(await value('/row-covered')).to.deep.equal({ address: ROW.address });
  });

  it('find no inherited names', async () => {
    expect(await value('/keep-inherited')).to.deep.equal({ id: 1 });
  });

  it('on a resource select from the main result', async () => {
    expect(await value('/row')).to.deep.equal({ name: 'Ada', address: { zip: '1' } });
    expect(await value('/list')).to.deep.equal([{ id: 1 }, { id: 2 }]);
    expect(await value('/nothing')).to.equal(null);
  });

  it('on a resource search the main result, the others latest first, then `for` names', async () => {
    expect(await value('/look-up')).to.deep.equal({
      who: 'three',
      one: 1,
      two: 2,
      shade: 'second',
      extracted: 'h',
    });
  });

  it('find null in the main result, and use no other result', async () => {
    expect(await value('/null-counts')).to.deep.equal({ id: 2, note: null });
  });
});

describe('envelopes', () => {
  const files = {
    'definitions/a.json': [
      defineReturnResource('v', { n: 1 }),
      defineReturnResource('need', '$PAYLOAD.x'),
      defineReturnResource('none', null),
    ],
  };
  const wrapped = { success: true, message: 'Operation successful', data: { n: 1 } };
  for (const [envelope, expected] of [
    [undefined, { n: 1 }],
    ['bare', { n: 1 }],
    [{ use: 'bare' }, { n: 1 }],
    ['success-message-data', wrapped],
    [
      { use: 'success-message-data', message: 'Done.' },
      { ...wrapped, message: 'Done.' },
    ],
  ] as const) {
    it(`${JSON.stringify(envelope) ?? 'no envelope in the config'} wraps results, never problems`, async () => {
      const kernel = await startKernel({ files, config: envelope === undefined ? {} : { envelope } });
      expect((await kernel.post('/v')).body).to.deep.equal(expected);
      const problem = await kernel.post('/need', {});
      expect(problem.status).to.equal(422);
      expect(problem.body).to.include({ code: 'ACC_UNRESOLVED', success: false });
      expect(problem.body).not.to.have.property('data');
      await kernel.close();
    });
  }
});

describe('paths', () => {
  let kernel: TestKernel;
  const files = {
    'definitions/a.json': [
      defineReturnResource('id-one', 1, { resource: 'wallet/open' }),
      defineReturnResource('id-two', 2, { resource: 'wallet' }),
      defineReturnResource('statusboard', 3),
    ],
  };
  before(async () => (kernel = await startKernel({ files })));
  after(() => kernel.close());
  /** Unchanged: fetch would normalize the path. */
  const at = async (path: string): Promise<number> =>
    parseRaw(await kernel.raw(formatRequestHead('POST', path, { connection: 'close', 'content-length': 0 }))).status;

  for (const path of [
    '/wallet/open',
    '/wallet/open/',
    '/id-one',
    '/id-one/',
    '/wallet',
    '/%77allet/open',
    '/id%2Done',
    '/wallet?a=1',
    '/statusboard',
  ]) {
    it(`serve ${path}`, async () => expect(await at(path)).to.equal(200));
  }
  for (const path of [
    '/',
    '//wallet',
    '/wallet//',
    '/wallet//open',
    '/Wallet',
    '/wallet/open/x',
    '/wallet/../wallet',
    '/wallet/./open',
    '/wallet;a',
    '/wallet%00',
    '/%zz',
    '/%',
    '/%c0%af',
    '/constructor',
    '/__proto__',
    '/toString',
    '/hasOwnProperty',
    '/id-one/wallet',
  ]) {
    it(`return 404 for ${path}`, async () => expect(await at(path)).to.equal(404));
  }
});
