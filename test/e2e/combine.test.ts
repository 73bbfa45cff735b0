/**
 * `combine_returned_results_from` and `returnables` together, over real HTTP: what is merged, in which order, and that
 * only intended values are returned: names of `returnables`, and no unnamed secret field.
 */
import { expect } from 'chai';
import { fc } from '../support/properties.js';
import { describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';

const value = (id: number, json: unknown, rest: object = {}): object => ({ id, mode: 'RETURN', value: json, ...rest });
const combineFrom = (...ids: readonly number[]): object => ({ combine_returned_results_from: ids });
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables,
  ...rest,
});

const A = { a: 1, shared: 'a', deep: { a: 1 } };
const B = { b: 2, shared: 'b', deep: { b: 2 } };
const three = (last: unknown): object[] => [value(1, A), value(2, B), value(3, last)];

const FILES = {
  'definitions/a.json': [
    resource('merged', three({ c: 3 }), combineFrom(1, 2)),
    resource('turned', three({ c: 3 }), combineFrom(2, 1)),
    resource('last-word', three({ c: 3, shared: 'c' }), combineFrom(1, 2)),
    resource('with-itself', three({ c: 3, shared: 'c' }), combineFrom(3, 1)),
    resource('null-main', three(null), combineFrom(1, 2)),
    resource('list-main', three([{ c: 3 }]), combineFrom(1, 2)),
    resource('null-part', [value(1, null), value(2, [1]), value(3, { c: 3 })], combineFrom(1, 2)),
    resource('nothing', [value(1, null), value(2, null)], combineFrom(1)),
    resource('null-field', [value(1, { a: 1, gone: 'here' }), value(2, { gone: null })], combineFrom(1)),
    resource('picked', three({ c: 3 }), { ...combineFrom(1, 2), returnables: ['a', 'deep.b', 'c', 'd'] }),
    resource('kept', [value(1, A, { returnables: ['a'] }), value(2, { c: 3 })], combineFrom(1)),
    resource('on-action', [value(1, A), value(2, { c: 3 }, combineFrom(1)), value(3, { d: 4 }, combineFrom(2))]),
    resource('on-action-first', [
      value(1, { c: 3 }, { main_returnable: true, ...combineFrom(2) }),
      value(2, { b: 2 }, { no_op: true }),
    ]),
    resource('on-action-picked', [value(1, A), value(2, { c: 3 }, { ...combineFrom(1), returnables: ['a', 'c'] })]),
    resource('on-both', [value(1, A), value(2, B), value(3, { c: 3 }, combineFrom(1))], combineFrom(2)),
    resource('sent', [value(1, '$PAYLOAD'), value(2, { c: 3 })], combineFrom(1)),
  ],
};

describe('combine_returned_results_from', () => {
  let kernel: TestKernel;
  before(async () => (kernel = await startKernel({ files: FILES })));
  after(() => kernel.close());
  const answer = async (path: string, body: unknown = {}): Promise<unknown> => (await kernel.post(path, body)).body;

  it('merges the results in the order named; the result merged into takes precedence', async () => {
    expect(await answer('/merged')).to.deep.equal({ a: 1, b: 2, c: 3, shared: 'b', deep: { b: 2 } });
    expect(await answer('/turned')).to.deep.equal({ a: 1, b: 2, c: 3, shared: 'a', deep: { a: 1 } });
    expect(await answer('/last-word')).to.include({ shared: 'c' });
    expect(await answer('/with-itself')).to.deep.equal({ ...A, c: 3, shared: 'c' });
  });

  it('adds nothing for a value that is not an object, merges nothing into a list, and replaces null', async () => {
    expect(await answer('/null-part')).to.deep.equal({ c: 3 });
    expect(await answer('/list-main')).to.deep.equal([{ c: 3 }]);
    expect(await answer('/null-main')).to.deep.equal({ ...A, ...B });
    expect(await answer('/nothing')).to.equal(null);
  });

  it('treats null in a field like any other value', async () => {
    expect(await answer('/null-field')).to.deep.equal({ a: 1, gone: null });
  });

  it('selects `returnables` of the resource from the merged result, those of an actionable before merging', async () => {
    expect(await answer('/picked')).to.deep.equal({ a: 1, deep: { b: 2 }, c: 3 });
    expect(await answer('/kept')).to.deep.equal({ a: 1, c: 3 });
  });

  it('on an actionable runs the named ones first and merges for all that follows', async () => {
    expect(await answer('/on-action')).to.deep.equal({ ...A, c: 3, d: 4 });
    expect(await answer('/on-action-first')).to.deep.equal({ b: 2, c: 3 });
    expect(await answer('/on-action-picked')).to.deep.equal({ a: 1, c: 3 });
    expect(await answer('/on-both')).to.deep.equal({ ...B, ...A, c: 3 });
  });

  it('does not change the results themselves: each request starts from new ones', async () => {
    expect(await answer('/sent', { one: 1 })).to.deep.equal({ one: 1, c: 3 });
    expect(await answer('/sent', { two: 2 })).to.deep.equal({ two: 2, c: 3 });
  });

  it('is wrapped in the envelope as a whole', async () => {
    const wrapped = await startKernel({ files: FILES, config: { envelope: 'success-message-data' } });
    const { body } = await wrapped.post('/merged');
    expect(body).to.deep.include({ success: true, data: { a: 1, b: 2, c: 3, shared: 'b', deep: { b: 2 } } });
    await wrapped.close();
  });
});

const read = (id: number, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: 'SELECT id, name, password FROM users WHERE id = $1', parameters: ['$PAYLOAD.id'] },
  ...rest,
});
const pin = (id: number, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: 'SELECT pin, note FROM cards WHERE id = $1', parameters: ['$PAYLOAD.id'] },
  ...rest,
});

const SECRETS = {
  'definitions/models.json': [
    {
      _user: {
        id: { type: 'Number', primary_key: true },
        name: { type: 'String' },
        password: { type: 'String', secret: true },
      },
    },
    {
      _card: {
        id: { type: 'Number', primary_key: true },
        pin: { type: 'String', secret: true },
        note: { type: 'String' },
      },
    },
  ],
  'definitions/a.json': [
    resource('seed', [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: { query: "INSERT INTO users (id, name, password) VALUES (1, 'Ada', 'hidden-word')", parameters: [] },
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: { query: "INSERT INTO cards (id, pin, note) VALUES (1, 'hidden-pin', 'n')", parameters: [] },
      },
    ]),
    resource('plain', [read(1)]),
    resource('merge', [read(1), pin(2)], combineFrom(1)),
    resource('merge-into-named', [read(1), pin(2, { returnables: ['note'] })], combineFrom(1)),
    resource('merge-into-value', [read(1), value(2, { fine: true }, { returnables: ['fine'] })], combineFrom(1)),
    resource('merge-on-action', [read(1), pin(2, combineFrom(1))]),
    resource('merge-on-both', [read(1), pin(2, { ...combineFrom(1), returnables: ['note', 'id'] })], combineFrom(1)),
    resource('named-on-action', [read(1), pin(2, { ...combineFrom(1), returnables: ['note', 'password'] })]),
    resource('named-on-resource', [read(1), pin(2, { returnables: ['note'] })], {
      ...combineFrom(1),
      returnables: ['note', 'password'],
    }),
    resource('not-named', [read(1), pin(2)], { ...combineFrom(1), returnables: ['name', 'note'] }),
    resource('own-name', [read(1), pin(2, { returnables: ['pin'] })], combineFrom(1)),
  ],
};

describeOnDatabase('secret fields of merged results', { files: SECRETS }, (kernel) => {
  before(async () => expect((await kernel().post('/seed')).status).to.equal(200));

  for (const [path, expected] of [
    ['/plain', { id: 1, name: 'Ada' }],
    ['/merge', { id: 1, name: 'Ada', note: 'n' }],
    ['/merge-into-named', { id: 1, name: 'Ada', note: 'n' }],
    ['/merge-into-value', { id: 1, name: 'Ada', fine: true }],
    ['/merge-on-action', { id: 1, name: 'Ada', note: 'n' }],
    ['/merge-on-both', { id: 1, name: 'Ada', note: 'n' }],
    ['/not-named', { name: 'Ada', note: 'n' }],
  ] as const) {
    it(`${path}: return only named values`, async () => {
      const { status, body, text } = await kernel().post(path, { id: 1 });
      expect([status, body]).to.deep.equal([200, expected]);
      expect(text).not.to.contain('hidden');
    });
  }

  it('are returned if `returnables` name them', async () => {
    expect((await kernel().post('/named-on-action', { id: 1 })).body).to.deep.equal({
      note: 'n',
      password: 'hidden-word',
    });
    expect((await kernel().post('/named-on-resource', { id: 1 })).body).to.deep.equal({
      note: 'n',
      password: 'hidden-word',
    });
    expect((await kernel().post('/own-name', { id: 1 })).body).to.deep.equal({ id: 1, name: 'Ada', pin: 'hidden-pin' });
  });
});

describe('random returnables, results and names', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
  const name = fc.constantFrom(...NAMES);
  const result = fc.option(fc.dictionary(name, fc.integer(), { noNullPrototype: true }), { nil: null });
  const action = fc.record({ result, kept: fc.option(fc.array(name), { nil: null }) });

  it('limit the response of a resource to these names, each from the first result that has it', async function () {
    const cases = fc.sample(
      fc.record({ actions: fc.array(action, { minLength: 1, maxLength: 4 }), names: fc.uniqueArray(name) }),
      { numRuns: 150, seed: 7 },
    );
    const files = {
      'definitions/a.json': cases.map(({ actions, names }, index) =>
        resource(
          `case-${index}`,
          actions.map(({ result: json, kept }, i) => value(i + 1, json, kept === null ? {} : { returnables: kept })),
          { returnables: names },
        ),
      ),
    };
    const kernel = await startKernel({ files });
    for (const [index, { actions, names }] of cases.entries()) {
      const { body } = await kernel.post(`/case-${index}`);
      const results = actions.map(({ result: json, kept }) =>
        Object.fromEntries(Object.entries(json ?? {}).filter(([key]) => kept === null || kept.includes(key as 'a'))),
      );
      const latestFirst = [...results].reverse();
      const expected = names.flatMap((wanted) => {
        const holder = latestFirst.find((one) => Object.hasOwn(one, wanted));
        return holder === undefined ? [] : [[wanted, holder[wanted]] as const];
      });
      const isNull = expected.length === 0 && actions.at(-1)?.result === null;
      expect(body, `case ${index}`).to.deep.equal(isNull ? null : Object.fromEntries(expected));
    }
    await kernel.close();
  });
});
