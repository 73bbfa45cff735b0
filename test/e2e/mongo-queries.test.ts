/**
 * `mongo_query` over real HTTP on both document stores: every action, values in every place, the types of models, ids
 * and dates as text, and transactions.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { defineDocumentResource, describeOnEach, STORES } from '../support/databases.js';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const HEX = /^[0-9a-f]{24}$/;
const notes = (action: string, rest: object): object => ({ collection: '_note', action, ...rest });

const FILES = {
  'definitions/models/_note.json': {
    id: { type: 'String', primary_key: true },
    text: { type: 'String' },
    n: { type: 'Number', optional: true },
    due: { type: 'DateTime', optional: true },
    done: { type: 'Boolean', optional: true },
    tags: { type: 'JSON_ARRAY', optional: true },
    created_at: { type: 'DateTime', optional: true },
    updated_at: { type: 'DateTime', optional: true },
    deleted_at: { type: 'DateTime', optional: true },
  },
  'definitions/models/_user.json': {
    email: { type: 'String', unique: true },
    name: { type: 'String', optional: true },
  },
  'definitions/models/_owner.json': {
    id: { type: 'String', primary_key: true },
    pin: { type: 'String', secret: true },
  },
  'definitions/resources.json': [
    defineDocumentResource('add-owner', { collection: '_owner', action: 'INSERT', parameters: ['id', '$PAYLOAD.pin'] }),
    defineDocumentResource('joined', {
      collection: 'log',
      action: 'AGGREGATE',
      pipeline: [{ $lookup: { from: '_owner', localField: 'by', foreignField: 'id', as: 'who' } }],
    }),
    defineDocumentResource('add-log', { collection: 'log', action: 'INSERT', parameters: ['$PAYLOAD.by'] }),
    defineDocumentResource(
      'add',
      notes('INSERT', { parameters: ['id', '$PAYLOAD.text', 'n', 'due', 'done', 'tags'], with_timestamp: true }),
    ),
    defineDocumentResource('get', notes('FETCH', { filter_predicate: { id: '$PAYLOAD.id' } })),
    defineDocumentResource('one', notes('FETCH_ONE', { filter_predicate: {}, sort: { n: -1 } })),
    defineDocumentResource(
      'list',
      notes('FETCH', { sort: { n: 1 }, limit: '$PAYLOAD.limit', skip: '$PAYLOAD.skip', projection: { _id: 0, n: 1 } }),
      {
        result: 'many',
      },
    ),
    defineDocumentResource(
      'between',
      notes('FETCH', {
        filter_predicate: { due: { $gte: '$1', $lt: '$2' } },
        parameters: ['$PAYLOAD.from', '$PAYLOAD.to'],
      }),
      {
        result: 'many',
      },
    ),
    defineDocumentResource(
      'among',
      notes('FETCH', { filter_predicate: { n: { $in: '$PAYLOAD.all' } }, sort: { n: 1 } }),
      {
        result: 'many',
      },
    ),
    defineDocumentResource(
      'like',
      notes('FETCH', { filter_predicate: { text: { $regex: '^$PAYLOAD.q', $options: 'i' } } }),
      {
        result: 'many',
      },
    ),
    defineDocumentResource('count', notes('COUNT', { filter_predicate: { n: { $gt: '$PAYLOAD.n' } } })),
    defineDocumentResource(
      'sums',
      notes('AGGREGATE', {
        pipeline: [
          { $match: { n: { $gte: '$PAYLOAD.from' } } },
          { $group: { _id: '$done', total: { $sum: '$n' }, label: { $max: '$1' } } },
          { $sort: { total: 1 } },
        ],
        parameters: ['$PAYLOAD.label'],
      }),
      { result: 'many' },
    ),
    defineDocumentResource(
      'later',
      notes('FETCH', {
        filter_predicate: { $expr: { $gt: ['$due', '$PAYLOAD.from'] } },
        projection: { root: '$$ROOT.text' },
      }),
      { result: 'many' },
    ),
    defineDocumentResource(
      'change',
      notes('UPDATE', {
        filter_predicate: { id: '$PAYLOAD.id' },
        update_predicate: { $set: { due: '$PAYLOAD.due' }, $inc: { n: '$1' }, $push: { tags: '$PAYLOAD.tag' } },
        parameters: ['$PAYLOAD.by'],
        with_timestamps: true,
      }),
    ),
    defineDocumentResource(
      'mark',
      notes('UPDATE', { filter_predicate: {}, update_predicate: { $set: { done: true } }, sort: { n: 1 } }),
      {
        result: 'one',
      },
    ),
    defineDocumentResource('hide', notes('DELETE', { filter_predicate: { id: '$PAYLOAD.id' }, soft_delete: true })),
    defineDocumentResource('drop', notes('DELETE', { filter_predicate: { id: '$PAYLOAD.id' } })),
    defineDocumentResource('add-user', {
      collection: 'users',
      action: 'INSERT',
      document: { email: '$PAYLOAD.email', name: '$PAYLOAD.name' },
      unique: ['email'],
    }),
    defineDocumentResource('user', {
      collection: 'users',
      action: 'FETCH_ONE',
      filter_predicate: { _id: '$PAYLOAD.id' },
    }),
    defineDocumentResource('put', { collection: 'loose', action: 'INSERT', document: { value: '$PAYLOAD.value' } }),
    defineDocumentResource(
      'loose',
      { collection: 'loose', action: 'FETCH', filter_predicate: { value: '$PAYLOAD.value' } },
      { result: 'many' },
    ),
    defineDocumentResource(
      'many',
      { collection: 'items', action: 'INSERT', parameters: ['$PAYLOAD.sku', 'list'], multi: 'all' },
      {
        payload_validation: [{ field: { all: { type: 'ARRAY' }, list: { type: 'STRING' } } }],
      },
    ),
    defineDocumentResource('upsert', {
      collection: 'counters',
      action: 'UPDATE',
      filter_predicate: { name: '$PAYLOAD.name' },
      update_predicate: { $inc: { n: 1 } },
      upsert: true,
      with_timestamp: true,
    }),
    {
      id: 'both',
      resource: 'both',
      actionables: [
        { id: 1, mode: 'QUERY', mongo_query: notes('INSERT', { document: { id: '$PAYLOAD.id', text: 'first' } }) },
        {
          id: 2,
          mode: 'QUERY',
          mongo_query: notes('INSERT', { document: { id: '$PAYLOAD.other', text: 'second' } }),
          must_return_value: true,
        },
      ],
    },
    {
      id: 'chain',
      resource: 'chain',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          no_op: true,
          mongo_query: notes('FETCH_ONE', { filter_predicate: { id: '$PAYLOAD.id' } }),
          must_return_value: true,
        },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'n', for: 'before' }] },
          ],
          mongo_query: notes('UPDATE', {
            filter_predicate: { id: '$PAYLOAD.id' },
            update_predicate: [{ $set: { n: { $add: ['$1', '$PAYLOAD.amount'] } } }],
            parameters: ['before'],
          }),
        },
      ],
      returnables: ['n'],
    },
  ],
};

describeOnEach('document queries', STORES, { files: FILES }, (kernel) => {
  const send = <T = Loose>(path: string, body: unknown = {}) => kernel().post<T>(`/${path}`, body);
  const ok = async <T = Loose>(path: string, body: unknown = {}): Promise<T> => {
    const answer = await send<T>(path, body);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(200);
    return answer.body;
  };
  const postForRejection = async (status: number, path: string, body: unknown): Promise<unknown> => {
    const answer = await send<{ errors?: { pointer: string }[] }>(path, body);
    expect(answer.status, `${path}: ${answer.text}`).to.equal(status);
    return answer.body.errors?.map(({ pointer }) => pointer);
  };

  it('INSERT names the fields by its parameters, in the types of the model, and sets timestamps', async () => {
    const row = await ok('add', {
      id: 'a',
      text: 'Alpha',
      n: 1,
      due: '2026-01-01T00:00:00+01:00',
      done: false,
      tags: [{ a: 1 }],
    });
    expect(row).to.deep.include({
      id: 'a',
      text: 'Alpha',
      n: 1,
      due: '2025-12-31T23:00:00.000Z',
      done: false,
      tags: [{ a: 1 }],
    });
    expect(row['created_at']).to.match(ISO).and.equal(row['updated_at']);
    expect(row['_id']).to.match(HEX);
    await ok('add', { id: 'b', text: 'a.b', n: '2', due: '2026-02-01', done: 'true' });
    await ok('add', { id: 'c', text: 'axb', n: 3, due: '2026-03-01', done: true });
    expect(await ok('get', { id: 'b' })).to.deep.include({ n: 2, done: true, due: '2026-02-01T00:00:00.000Z' });
  });

  it('rejects a value that does not fit its field, and names the payload field', async () => {
    const valid = { id: 'x', text: 't' };
    expect(await postForRejection(422, 'add', { ...valid, n: 'many' })).to.deep.equal(['/n']);
    expect(await postForRejection(422, 'add', { ...valid, due: 'soon' })).to.deep.equal(['/due']);
    expect(await postForRejection(422, 'add', { ...valid, due: '2026-02-30' })).to.deep.equal(['/due']);
    expect(await postForRejection(422, 'between', { from: 5, to: '2026-01-01' })).to.deep.equal(['/from']);
    expect(await postForRejection(422, 'among', { all: 5 })).to.deep.equal(['/all']);
    expect(await postForRejection(422, 'list', { limit: -1, skip: 0 })).to.deep.equal(['/limit']);
  });

  it('FETCH supports dates, lists, patterns, order, limits', async () => {
    const ids = async (path: string, body: object): Promise<unknown[]> =>
      (await ok<Loose[]>(path, body)).map(({ id }) => id);
    expect(await ids('between', { from: '2026-01-15', to: '2026-03-01T00:00:00Z' })).to.deep.equal(['b']);
    expect(await ids('among', { all: [1, '3', null] })).to.deep.equal(['a', 'c']);
    // Values of a client are not patterns.
    expect(await ids('like', { q: 'A.' })).to.deep.equal(['b']);
    expect(await ids('like', { q: '.*' })).to.deep.equal([]);
    expect(await ok('one')).to.include({ id: 'c' });
    expect(await ok('list', { limit: 2, skip: 1 })).to.deep.equal([{ n: 2 }, { n: 3 }]);
    expect(await ok('list', { limit: 0, skip: 0 })).to.deep.equal([]);
    expect(await ok('count', { n: 1 })).to.deep.equal({ count: 2 });
  });

  it('AGGREGATE treats text of a client as text, not as a path', async () => {
    expect(await ok('sums', { from: 1, label: '$text' })).to.deep.equal([
      { _id: false, total: 1, label: '$text' },
      { _id: true, total: 5, label: '$text' },
    ]);
    const later = await ok<Loose[]>('later', { from: '2026-02-15' });
    expect(later.map(({ root }) => root)).to.deep.equal(['axb']);
  });

  it('omits a secret field of another collection in a join', async () => {
    expect(await ok('add-owner', { id: 'o', pin: '1234' })).to.include({ id: 'o' });
    await ok('add-log', { by: 'o' });
    const { who } = await ok('joined');
    expect(who).to.be.an('array').with.length(1);
    expect((who as Loose[])[0])
      .to.include({ id: 'o' })
      .and.not.have.property('pin');
  });

  it('UPDATE returns the updated documents; `"result": "one"` changes the first only', async () => {
    const row = await ok('change', { id: 'a', due: '2027-01-01', by: 10, tag: { k: 'v' } });
    expect(row).to.deep.include({ n: 11, due: '2027-01-01T00:00:00.000Z', tags: [{ a: 1 }, { k: 'v' }] });
    expect(row['updated_at']).to.match(ISO).and.not.equal(row['created_at']);
    expect(await ok('mark')).to.deep.include({ id: 'b', done: true });
    expect(await ok('get', { id: 'a' })).to.include({ done: false });
    expect(await ok('get', { id: 'zzz' })).to.equal(null);
  });

  it('treats names in values of a client neither as operators nor as paths', async () => {
    const body = (tag: unknown): object => ({ id: 'a', due: null, by: 1, tag });
    expect(await postForRejection(422, 'change', body({ $each: [1] }))).to.deep.equal(['/tag/$each']);
    expect(await postForRejection(422, 'change', body([{ a: { 'b.c': 1 } }]))).to.deep.equal(['/tag/0/a/b.c']);
    expect(await postForRejection(422, 'put', { value: { 'a\0b': 1 } })).to.deep.equal(['/value/a\0b']);
    expect(await ok('get', { id: 'a' })).to.include({ n: 11 });
  });

  it('DELETE returns the removed documents; `soft_delete` keeps them', async () => {
    await ok('add', { id: 'd', text: 'gone' });
    expect((await ok('hide', { id: 'd' }))['deleted_at']).to.match(ISO);
    expect((await ok('get', { id: 'd' }))['deleted_at']).to.match(ISO);
    expect(await ok('drop', { id: 'd' })).to.include({ text: 'gone' });
    expect(await ok('get', { id: 'd' })).to.equal(null);
  });

  it('uses text for ids in responses and in requests', async () => {
    const user = await ok('add-user', { email: 'ada@example.com', name: 'Ada' });
    expect(user['_id']).to.match(HEX);
    expect(await ok('user', { id: user['_id'] })).to.include({ name: 'Ada' });
    expect(await ok('user', { id: 'no-id' })).to.equal(null);
    expect(await ok('user', { id: null })).to.equal(null);
    expect(await postForRejection(409, 'add-user', { email: 'ada@example.com', name: 'Eve' })).to.deep.equal([
      '/email',
    ]);
  });

  it('compares objects of a client as a whole, and a missing value equals nothing', async () => {
    await ok('put', { value: { a: 1 } });
    await ok('put', { value: null });
    expect(await ok('loose', { value: { a: 1 } })).to.have.length(1);
    for (const value of [{ $ne: null }, { $gt: '' }, { $exists: true }, { a: { $ne: 2 } }, { $regex: '' }, null]) {
      expect(await ok('loose', { value }), JSON.stringify(value)).to.deep.equal([]);
    }
  });

  it('`multi` runs once for each item', async () => {
    const rows = await ok<Loose[]>('many', { all: [{ sku: 'a' }, { sku: 'b' }], list: 'x' });
    expect(rows.map(({ sku, list }) => [sku, list])).to.deep.equal([
      ['a', 'x'],
      ['b', 'x'],
    ]);
  });

  it('`upsert` creates the document', async () => {
    const made = await ok('upsert', { name: 'hits' });
    expect(made).to.include({ name: 'hits', n: 1 });
    expect(made['created_at']).to.match(ISO);
    expect(await ok('upsert', { name: 'hits' })).to.include({ n: 2, created_at: made['created_at'] });
  });

  it('runs adjacent actionables in one transaction', async () => {
    expect(await postForRejection(409, 'both', { id: 'new', other: 'a' })).to.deep.equal(['/other']);
    expect(await ok('get', { id: 'new' })).to.equal(null);
  });

  it('loses no update in a chain that reads and writes back', async () => {
    await ok('add', { id: 'w', text: 'wallet', n: 0 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => send('chain', { id: 'w', amount: 1 })));
    const done = answers.filter(({ status }) => status === 200).length;
    expect(answers.map(({ status }) => status)).to.satisfy((all: number[]) => all.every((s) => s === 200 || s === 409));
    expect(done).to.be.greaterThan(0);
    expect(await ok('get', { id: 'w' })).to.include({ n: done });
  });
});
