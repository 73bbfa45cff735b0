/** Contract of document stores: insert, update and remove, and their results. */
import { expect } from 'chai';
import type { Document, DocumentStore, UpdateOptions } from '../../plugins/document-stores/kind.js';
import { catchFault } from './dialect-support.js';
import { removeIds, isId } from './document-store-support.js';

export function documentWritesContract(handle: () => DocumentStore): void {
  const update = async (filter: Document, change: Document | Document[], options: UpdateOptions = {}) =>
    removeIds(await handle().update('w_items', filter, change, options, null));
  const findAll = async () => removeIds(await handle().find('w_items', {}, { sort: { n: 1 } }, null));

  beforeEach(async () => {
    await handle().remove('w_items', {}, {}, null);
    await handle().insert(
      'w_items',
      [
        { n: 1, kind: 'a' },
        { n: 2, kind: 'a' },
        { n: 3, kind: 'b' },
      ],
      null,
    );
  });

  it('returns inserted documents with their ids, in order, and does not change its arguments', async () => {
    const given = [{ n: 10 }, { n: 11, _id: 'mine' }] as const;
    const made = await handle().insert('w_items', given, null);
    expect(made.map(({ n }) => n)).to.deep.equal([10, 11]);
    expect(isId(made[0]?.['_id'])).to.equal(true);
    expect(made[1]?.['_id']).to.equal('mine');
    expect(given[0]).to.deep.equal({ n: 10 });
    expect(await handle().find('w_items', { _id: 'mine' }, {}, null)).to.deep.equal([{ _id: 'mine', n: 11 }]);
    expect(await handle().insert('w_items', [], null)).to.deep.equal([]);
  });

  it('keeps every text unchanged, as a value and as a name, and finds it', async () => {
    const texts = ['"', '\\', '\\"', '{"a,b"}', '{}', 'NULL', '', ' ', "'; --", '$name', '%_', 'a\nb', 'é\u{1f600}'];
    const documents = texts.map((text, n) => ({
      n: 100 + n,
      text,
      inner: { [`k${text.replace(/[$.]/g, '')}`]: [text] },
    }));
    await handle().insert('w_items', documents, null);
    for (const document of documents) {
      const found = await handle().find('w_items', { text: { $eq: document.text } }, {}, null);
      expect(removeIds(found), JSON.stringify(document.text)).to.deep.equal([document]);
    }
    await update({ n: { $gte: 100 } }, { $set: { kind: '"\\"' } });
    expect(await handle().count('w_items', { kind: '"\\"' }, null)).to.equal(texts.length);
  });

  it('returns updated documents as they are afterwards', async () => {
    expect(await update({ kind: 'a' }, { $set: { kind: 'c' }, $inc: { n: 10 } })).to.deep.equal([
      { n: 11, kind: 'c' },
      { n: 12, kind: 'c' },
    ]);
    expect(await findAll()).to.deep.equal([
      { n: 3, kind: 'b' },
      { n: 11, kind: 'c' },
      { n: 12, kind: 'c' },
    ]);
    expect(await update({ kind: 'nobody' }, { $set: { n: 0 } })).to.deep.equal([]);
  });

  it('returns documents that an update leaves unchanged too', async () => {
    expect(await update({ n: 1 }, { $set: { kind: 'a' } })).to.deep.equal([{ n: 1, kind: 'a' }]);
  });

  it('updates one: the first of the given order', async () => {
    expect(await update({ kind: 'a' }, { $set: { kind: 'z' } }, { one: true, sort: { n: -1 } })).to.deep.equal([
      { n: 2, kind: 'z' },
    ]);
    expect(await handle().count('w_items', { kind: 'a' }, null)).to.equal(1);
    expect(await update({ kind: 'nobody' }, { $set: { n: 0 } }, { one: true })).to.deep.equal([]);
  });

  it('creates no field inside null, a text or a number of an existing document', async () => {
    for (const kind of [null, 'text', 7]) {
      await handle().update('w_items', { n: 1 }, { $set: { kind } }, {}, null);
      for (const change of [
        { $set: { 'kind.city': 'x' } },
        { $inc: { n: 5 }, $push: { 'kind.list': 1 } },
        { $unset: { other: '' }, $inc: { 'kind.deep.n': 1 } },
      ]) {
        const fault = await catchFault(handle().update('w_items', { n: 1 }, change, { one: true }, null));
        expect([fault.code, kind], JSON.stringify(change)).to.deep.equal(['QRY_BAD_VALUE', kind]);
      }
      expect(removeIds(await handle().find('w_items', { n: 1 }, {}, null))).to.deep.equal([{ n: 1, kind }]);
    }
  });

  it('supports the operators of MongoDB', async () => {
    await handle().insert('w_items', [{ n: 9, list: [1, 2, 2], home: { city: 'Bern' } }], null);
    for (const [change, wanted] of [
      [{ $push: { list: 3 } }, { list: [1, 2, 2, 3], home: { city: 'Bern' } }],
      [{ $pull: { list: 2 } }, { list: [1, 3], home: { city: 'Bern' } }],
      [{ $addToSet: { list: { $each: [3, 4] } } }, { list: [1, 3, 4], home: { city: 'Bern' } }],
      [{ $pop: { list: -1 } }, { list: [3, 4], home: { city: 'Bern' } }],
      [{ $set: { 'home.zip': 3000 } }, { list: [3, 4], home: { city: 'Bern', zip: 3000 } }],
      [{ $unset: { 'home.city': '' } }, { list: [3, 4], home: { zip: 3000 } }],
      [{ $rename: { home: 'place' } }, { list: [3, 4], place: { zip: 3000 } }],
      [{ $mul: { 'place.zip': 2 } }, { list: [3, 4], place: { zip: 6000 } }],
      [
        { $min: { 'place.zip': 5 }, $max: { 'list.0': 7 } },
        { list: [7, 4], place: { zip: 5 } },
      ],
    ] as const) {
      expect(await update({ n: 9 }, change), JSON.stringify(change)).to.deep.equal([{ n: 9, ...wanted }]);
    }
  });

  it('treats text that an operator writes as text', async () => {
    expect(await update({ n: 1 }, { $set: { kind: '$n' } })).to.deep.equal([{ n: 1, kind: '$n' }]);
  });

  it('updates by a pipeline', async () => {
    expect(await update({ n: 2 }, [{ $set: { double: { $multiply: ['$n', 2] } } }])).to.deep.equal([
      { n: 2, kind: 'a', double: 4 },
    ]);
  });

  it('updates the items of a list that its filters name', async () => {
    await handle().insert(
      'w_items',
      [
        {
          n: 9,
          lines: [
            { sku: 'x', q: 1 },
            { sku: 'y', q: 1 },
          ],
        },
      ],
      null,
    );
    const options = { arrayFilters: [{ 'line.sku': 'y' }] };
    expect(await update({ n: 9 }, { $inc: { 'lines.$[line].q': 5 } }, options)).to.deep.equal([
      {
        n: 9,
        lines: [
          { sku: 'x', q: 1 },
          { sku: 'y', q: 6 },
        ],
      },
    ]);
  });

  it('updates the item of a list that the filter found', async () => {
    await handle().insert(
      'w_items',
      [
        { n: 9, lines: [1, 5, 7] },
        { n: 9, lines: [5] },
        { n: 9, lines: [1] },
      ],
      null,
    );
    expect(await update({ n: 9, lines: 5 }, { $set: { 'lines.$': 6 } })).to.deep.equal([
      { n: 9, lines: [1, 6, 7] },
      { n: 9, lines: [6] },
    ]);
    expect(await update({ n: 9, lines: 7 }, { $set: { 'lines.$': 8 } })).to.deep.equal([{ n: 9, lines: [1, 6, 8] }]);
  });

  it('with `upsert`, creates a document if none matches, and returns it', async () => {
    const change = { $set: { kind: 'new' }, $setOnInsert: { made: true } };
    for (const one of [true, false]) {
      const n = one ? 20 : 21;
      expect(await update({ n }, change, { upsert: true, one })).to.deep.equal([{ n, kind: 'new', made: true }]);
      expect(await update({ n }, { $set: { kind: 'old' } }, { upsert: true, one })).to.deep.equal([
        { n, kind: 'old', made: true },
      ]);
      expect(await handle().count('w_items', { n }, null)).to.equal(1);
    }
  });

  it('returns removed documents as they were', async () => {
    const removed = await handle().remove('w_items', { kind: 'a' }, {}, null);
    expect(removeIds(removed)).to.deep.equal([
      { n: 1, kind: 'a' },
      { n: 2, kind: 'a' },
    ]);
    expect(await findAll()).to.deep.equal([{ n: 3, kind: 'b' }]);
    expect(await handle().remove('w_items', { kind: 'a' }, {}, null)).to.deep.equal([]);
  });

  it('removes one: the first of the given order', async () => {
    const removed = await handle().remove('w_items', { kind: 'a' }, { one: true, sort: { n: -1 } }, null);
    expect(removeIds(removed)).to.deep.equal([{ n: 2, kind: 'a' }]);
    expect(await handle().count('w_items', {}, null)).to.equal(2);
  });

  it('stores many documents of one call', async () => {
    const many = Array.from({ length: 1100 }, (_, n) => ({ n, text: 'x'.repeat(50) }));
    expect(await handle().insert('w_many', many, null)).to.have.length(1100);
    expect(await handle().update('w_many', {}, { $inc: { n: 1 } }, {}, null)).to.have.length(1100);
    expect(await handle().count('w_many', { n: { $gte: 1 } }, null)).to.equal(1100);
    expect(await handle().remove('w_many', {}, {}, null)).to.have.length(1100);
  });
}
