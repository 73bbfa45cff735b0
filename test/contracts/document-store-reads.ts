/** Contract of document stores: find, count, aggregate, and the returned values. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import type { DocumentStore } from '../../plugins/document-stores/kind.js';
import { catchFault } from './dialect-support.js';
import { removeIds, isId } from './document-store-support.js';

export function documentReadsContract(handle: () => DocumentStore): void {
  const pets = [
    {
      name: 'Ada',
      age: 3,
      tags: ['a', 'b'],
      home: { city: 'Bern', zip: 3000 },
      born: new Date('2023-01-02T03:04:05.678Z'),
    },
    { name: 'Bea', age: 5, tags: ['b'], home: { city: 'Chur' } },
    { name: 'Cid', age: null, tags: [] },
    { name: 'Dan', age: 4.5 },
  ];
  const findNames = async (filter: object, options: object = {}): Promise<unknown[]> =>
    (await handle().find('r_pets', { ...filter }, { ...options }, null)).map(({ name }) => name);

  before(() => handle().insert('r_pets', pets, null));

  it('returns an empty list for an empty collection', async () => {
    expect(await handle().find('r_nothing', {}, {}, null)).to.deep.equal([]);
    expect(await handle().count('r_nothing', {}, null)).to.equal(0);
    expect(await handle().aggregate('r_nothing', [{ $match: {} }], null)).to.deep.equal([]);
  });

  it('returns documents in the order in which they were written, with unchanged ids and values', async () => {
    const found = await handle().find('r_pets', {}, {}, null);
    expect(removeIds(found)).to.deep.equal(pets);
    for (const { _id } of found) expect(isId(_id)).to.equal(true);
  });

  it('finds by a value, also one inside an object or a list', async () => {
    expect(await findNames({ name: 'Ada' })).to.deep.equal(['Ada']);
    expect(await findNames({ 'home.city': 'Chur' })).to.deep.equal(['Bea']);
    expect(await findNames({ tags: 'b' })).to.deep.equal(['Ada', 'Bea']);
    expect(await findNames({ born: new Date('2023-01-02T03:04:05.678Z') })).to.deep.equal(['Ada']);
  });

  it('finds by an id', async () => {
    const [first] = await handle().find('r_pets', { name: 'Bea' }, {}, null);
    expect(await findNames({ _id: first?.['_id'] })).to.deep.equal(['Bea']);
    expect(await findNames({ _id: new ObjectId() })).to.deep.equal([]);
    expect(await findNames({ _id: String(first?.['_id']) }), 'text is no id').to.deep.equal([]);
  });

  it('finds null fields and missing fields by null', async () => {
    expect(await findNames({ age: null })).to.deep.equal(['Cid']);
    expect(await findNames({ home: null })).to.deep.equal(['Cid', 'Dan']);
    expect(await findNames({ home: { $exists: true } })).to.deep.equal(['Ada', 'Bea']);
  });

  it('supports the operators of MongoDB', async () => {
    for (const [filter, wanted] of [
      [{ age: { $gt: 3 } }, ['Bea', 'Dan']],
      [{ age: { $gte: 3, $lt: 5 } }, ['Ada', 'Dan']],
      [{ age: { $ne: 3 } }, ['Bea', 'Cid', 'Dan']],
      [{ name: { $in: ['Ada', 'Dan', 'Eve'] } }, ['Ada', 'Dan']],
      [{ name: { $nin: ['Ada', 'Dan'] } }, ['Bea', 'Cid']],
      [{ $or: [{ name: 'Ada' }, { age: 5 }] }, ['Ada', 'Bea']],
      [{ $and: [{ tags: 'b' }, { tags: 'a' }] }, ['Ada']],
      [{ $nor: [{ tags: 'b' }] }, ['Cid', 'Dan']],
      [{ age: { $not: { $gt: 3 } } }, ['Ada', 'Cid']],
      [{ name: { $regex: '^[AB]' } }, ['Ada', 'Bea']],
      [{ name: { $regex: 'ada', $options: 'i' } }, ['Ada']],
      [{ tags: { $size: 2 } }, ['Ada']],
      [{ tags: { $all: ['b', 'a'] } }, ['Ada']],
      [{ tags: { $elemMatch: { $eq: 'a' } } }, ['Ada']],
      [{ age: { $type: 'number' } }, ['Ada', 'Bea', 'Dan']],
      [{ $expr: { $eq: ['$home.city', 'Bern'] } }, ['Ada']],
    ] as const) {
      expect(await findNames(filter), JSON.stringify(filter)).to.deep.equal(wanted);
    }
  });

  it('treats text in the place of a value as a value, whatever it looks like', async () => {
    for (const text of ['$name', '{"$ne": null}', '$$ROOT', '$where', `' OR '1'='1`, '\u2028', '']) {
      expect(await findNames({ name: { $eq: text } }), text).to.deep.equal([]);
    }
    expect(await findNames({ name: { $eq: { $ne: null } } })).to.deep.equal([]);
  });

  it('sorts, skips, limits and projects', async () => {
    expect(await findNames({}, { sort: { name: -1 } })).to.deep.equal(['Dan', 'Cid', 'Bea', 'Ada']);
    expect(await findNames({}, { sort: { age: 1 }, skip: 1, limit: 2 })).to.deep.equal(['Ada', 'Dan']);
    const [found] = await handle().find('r_pets', { name: 'Ada' }, { projection: { name: 1, _id: 0 } }, null);
    expect(found).to.deep.equal({ name: 'Ada' });
    const [other] = await handle().find('r_pets', { name: 'Ada' }, { projection: { tags: 0, born: 0, _id: 0 } }, null);
    expect(other).to.deep.equal({ name: 'Ada', age: 3, home: { city: 'Bern', zip: 3000 } });
  });

  it('returns nothing for a limit of 0, and rejects an invalid limit', async () => {
    expect(await findNames({}, { limit: 0 })).to.deep.equal([]);
    expect(await findNames({}, { skip: 9 })).to.deep.equal([]);
    for (const options of [{ limit: -1 }, { limit: 1.5 }, { limit: NaN }, { skip: -1 }, { skip: 1e300 }]) {
      expect((await catchFault(findNames({}, options))).code, JSON.stringify(options)).to.equal('QRY_BAD_VALUE');
    }
  });

  it('sorts by several fields in their written order', async () => {
    await handle().insert(
      'r_order',
      [
        { a: 1, b: 1 },
        { a: 2, b: 1 },
        { a: 1, b: 2 },
      ],
      null,
    );
    const found = await handle().find('r_order', {}, { sort: { b: -1, a: -1 } }, null);
    expect(removeIds(found)).to.deep.equal([
      { a: 1, b: 2 },
      { a: 2, b: 1 },
      { a: 1, b: 1 },
    ]);
  });

  it('finds by ranges of ids of a type, and sorts ids by type first', async () => {
    const ids = [2, 10, 'Z', 'a', 'é', { a: 1 }, new ObjectId(), true, new Date(5), new Date(50)];
    const documents = ids.map((_id) => ({ _id }));
    await handle().insert('r_ids', documents.toReversed(), null);
    const find = (filter: object, options: object) => handle().find('r_ids', { ...filter }, options, null);
    expect(await find({}, { sort: { _id: 1 }, limit: 20 })).to.deep.equal(documents);
    expect(await find({}, { sort: { _id: -1 }, skip: 1, limit: 4 })).to.deep.equal(documents.toReversed().slice(1, 5));
    for (const [range, first, end] of [
      [{ $gt: 2 }, 1, 2],
      [{ $gte: 'a' }, 3, 5],
      [{ $lt: new Date(50) }, 8, 9],
    ] as const)
      expect(await find({ _id: range }, { sort: { _id: 1 }, limit: 20 })).to.deep.equal(documents.slice(first, end));
  });

  it('counts', async () => {
    expect(await handle().count('r_pets', {}, null)).to.equal(4);
    expect(await handle().count('r_pets', { tags: 'b' }, null)).to.equal(2);
  });

  it('aggregates: groups, sorts, reshapes', async () => {
    const rows = await handle().aggregate(
      'r_pets',
      [
        { $match: { age: { $ne: null } } },
        { $unwind: '$tags' },
        { $group: { _id: '$tags', total: { $sum: '$age' }, pets: { $push: '$name' } } },
        { $sort: { _id: 1 } },
        { $project: { _id: 0, tag: '$_id', total: 1, pets: 1 } },
      ],
      null,
    );
    expect(rows).to.deep.equal([
      { total: 3, pets: ['Ada'], tag: 'a' },
      { total: 8, pets: ['Ada', 'Bea'], tag: 'b' },
    ]);
    expect(await handle().aggregate('r_pets', [{ $count: 'n' }], null)).to.deep.equal([{ n: 4 }]);
  });

  it('joins another collection', async () => {
    await handle().insert('r_homes', [{ city: 'Bern', size: 9 }], null);
    const rows = await handle().aggregate(
      'r_pets',
      [
        { $match: { name: { $in: ['Ada', 'Bea'] } } },
        { $lookup: { from: 'r_homes', localField: 'home.city', foreignField: 'city', as: 'homes' } },
        { $project: { _id: 0, name: 1, sizes: '$homes.size' } },
      ],
      null,
    );
    expect(rows).to.deep.equal([
      { name: 'Ada', sizes: [9] },
      { name: 'Bea', sizes: [] },
    ]);
  });

  it('keeps unusual names and texts of a document', async () => {
    const odd = JSON.parse(
      '{"__proto__": {"x": 1}, "constructor": "c", "toString": 1, "ü": "😀\\u0000", "deep": {"__proto__": [1]}, "": "empty"}',
    ) as Record<string, unknown>;
    const [made] = await handle().insert('r_odd', [odd], null);
    const [found] = await handle().find('r_odd', { _id: made?.['_id'] }, {}, null);
    expect(JSON.stringify(removeIds([found ?? {}]))).to.equal(JSON.stringify([odd]));
    expect(({} as Record<string, unknown>)['x']).to.equal(undefined);
  });

  it('keeps numbers: integers, fractions, the largest', async () => {
    const numbers = [0, -1, 2147483648, 9007199254740991, -9007199254740991, 0.1, 1e300, -0.5];
    const [made] = await handle().insert('r_numbers', [{ numbers }], null);
    const [found] = await handle().find('r_numbers', { _id: made?.['_id'] }, {}, null);
    expect(found?.['numbers']).to.deep.equal(numbers);
    expect(await handle().count('r_numbers', { numbers: 9007199254740991 }, null)).to.equal(1);
  });
}
