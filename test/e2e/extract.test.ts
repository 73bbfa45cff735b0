/**
 * `extract_response_for` directly on an actionable, over real HTTP: sources of its values and where they can be used.
 */
import { expect } from 'chai';
import { describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const pick = (...entries: readonly (readonly [extract: string, name: string])[]): object[] =>
  entries.map(([extract, name]) => ({ extract, for: name }));
const value = (id: number, json: unknown, rest: object = {}): object => ({ id, mode: 'RETURN', value: json, ...rest });
const waits = (ids: readonly number[], resource = 'self', rest: object = {}): object => ({
  depends_on: [{ resource_id: resource, action_ids: ids, ...rest }],
});
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables,
  ...rest,
});

const ROW = { n: 7, rows: [{ sku: 'a' }, { sku: 'b' }], none: null, secret: 'kept' };

const FILES = {
  'definitions/a.json': [
    resource('own', [
      value(1, ROW, { extract_response_for: pick(['n', 'got'], ['rows.1.sku', 'sku'], ['self_', 'all']) }),
      value(2, { got: '$PAYLOAD.got', sku: '$PAYLOAD.sku', inside: '$PAYLOAD.all.rows.0.sku' }),
    ]),
    resource('before-returnables', [
      value(1, ROW, { returnables: ['n'], extract_response_for: pick(['rows.0.sku', 'sku']) }),
      value(2, { sku: '$PAYLOAD.sku' }),
    ]),
    resource('list', [
      value(1, [{ id: 1 }, { id: 2 }], { extract_response_for: pick(['1.id', 'second'], ['self_', 'all']) }),
      value(2, { second: '$PAYLOAD.second', all: '$PAYLOAD.all' }),
    ]),
    resource('fed', [
      value(1, { n: 1 }, { no_op: true }),
      value(2, '$PAYLOAD.got', { ...waits([1]), extract_response_for: pick(['n', 'got']) }),
    ]),
    resource('of-several', [
      value(1, { a: 1, both: 'one' }, { no_op: true }),
      value(2, { b: 2, both: 'two' }, { no_op: true }),
      value(
        3,
        { a: '$PAYLOAD.a', b: '$PAYLOAD.b', both: '$PAYLOAD.both' },
        { ...waits([2, 1]), extract_response_for: pick(['a', 'a'], ['b', 'b'], ['both', 'both']) },
      ),
    ]),
    resource('of-two-entries', [
      value(1, { a: 1 }, { no_op: true }),
      value(
        2,
        { a: '$PAYLOAD.a', v: '$PAYLOAD.v', inner: '$PAYLOAD.inner' },
        {
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: pick(['a', 'inner']) },
            { resource_id: 'echo', action_ids: [1] },
          ],
          extract_response_for: pick(['a', 'a'], ['v', 'v']),
        },
      ),
    ]),
    defineReturnResource('echo', { v: '$PAYLOAD.v' }),
    resource('null-is-a-value', [
      value(1, ROW, { extract_response_for: pick(['none', 'none']) }),
      value(2, { none: '$PAYLOAD.none' }),
    ]),
    resource('missing', [
      value(1, ROW, { extract_response_for: pick(['rows.9.sku', 'none']) }),
      value(2, { none: '$PAYLOAD.none' }),
    ]),
    resource('null-result', [
      value(1, null, { extract_response_for: pick(['self_', 'none']) }),
      value(2, { none: '$PAYLOAD.none' }),
    ]),
    resource('missing-in-null', [
      // Null, which only the request shows.
      value(1, '$PAYLOAD.empty', { extract_response_for: pick(['n', 'none']) }),
      value(2, { none: '$PAYLOAD.none' }),
    ]),
    resource(
      'answered',
      [
        value(1, ROW, { no_op: true, extract_response_for: pick(['n', 'count'], ['self_', 'whole']) }),
        value(2, { id: 2 }, waits([1])),
      ],
      { returnables: ['id', 'count', 'whole.rows'] },
    ),
    resource('later-wins', [
      value(1, { v: 1 }, { extract_response_for: pick(['v', 'v']) }),
      value(2, { v: 2, first: '$PAYLOAD.v' }, { extract_response_for: pick(['v', 'v'], ['first', 'first']) }),
      value(3, { v: '$PAYLOAD.v', first: '$PAYLOAD.first' }),
    ]),
  ],
};

describe('extract_response_for on an actionable', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES })));
  after(() => kernel.close());
  const answer = async (path: string, body: unknown = {}): Promise<unknown> => (await kernel.post(path, body)).body;

  it('without `depends_on` sets names from its own result, for later ones', async () => {
    expect(await answer('/own')).to.deep.equal({ got: 7, sku: 'b', inside: 'a' });
    expect(await answer('/list')).to.deep.equal({ second: 2, all: [{ id: 1 }, { id: 2 }] });
  });

  it('reads values that `returnables` removes', async () => {
    expect(await answer('/before-returnables')).to.deep.equal({ sku: 'a' });
  });

  it('with `depends_on` sets names from its dependency', async () => {
    expect(await answer('/fed')).to.equal(1);
  });

  it('uses the first of several dependencies that has the path', async () => {
    expect(await answer('/of-several')).to.deep.equal({ a: 1, b: 2, both: 'two' });
  });

  it('searches all entries of `depends_on`, other resources among them', async () => {
    expect(await answer('/of-two-entries', { v: 5 })).to.deep.equal({ a: 1, v: 5, inner: 1 });
  });

  it('accepts null, and ends the chain for a missing value', async () => {
    expect(await answer('/null-is-a-value')).to.deep.equal({ none: null });
    expect(await answer('/null-result')).to.deep.equal({ none: null });
    for (const path of ['/missing', '/missing-in-null']) {
      expect(await answer(path, { none: 'from the payload', empty: null })).to.include({
        status: 422,
        code: 'DEP_UNRESOLVED',
      });
    }
  });

  it('sets names that `returnables` of the resource find, with paths after them', async () => {
    expect(await answer('/answered')).to.deep.equal({ id: 2, count: 7, whole: { rows: ROW.rows } });
  });

  it('replaces a name that is set again from then on', async () => {
    expect(await answer('/later-wins')).to.deep.equal({ v: 2, first: 1 });
  });
});

const SQL = {
  'definitions/_item.json': { id: { type: 'Number', primary_key: true }, price: { type: 'Number' } },
  'definitions/a.json': [
    resource('add', [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: { query: 'INSERT INTO items (id, price) VALUES ($1, $2)', parameters: ['id', 'price'] },
        extract_response_for: pick(['price', 'paid'], ['self_', 'row']),
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: {
          query: 'SELECT $1::bigint * 2 AS twice, $2::jsonb AS row, $3::text AS path',
          parameters: ['paid', 'row', 'row.price'],
        },
      },
    ]),
    resource('none', [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: { query: 'SELECT price FROM items WHERE id = $1', parameters: ['id'] },
        extract_response_for: pick(['price', 'paid']),
      },
      { id: 2, mode: 'QUERY', sql_query: { query: 'UPDATE items SET price = $1 WHERE true', parameters: ['paid'] } },
    ]),
  ],
};

describeOnDatabase('extract_response_for in statements', { files: SQL }, (kernel) => {
  it('sets names that are parameters of later statements', async () => {
    const { status, body } = await kernel().post('/add', { id: 1, price: 21, paid: 'not this' });
    expect([status, body]).to.deep.equal([200, { twice: 42, row: { id: 1, price: 21 }, path: '21' }]);
  });

  it('runs nothing further without a row', async () => {
    expect((await kernel().post('/none', { id: 404 })).body).to.include({ status: 422, code: 'DEP_UNRESOLVED' });
  });
});
