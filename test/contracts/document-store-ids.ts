/** Ranges and order of `_id` in the embedded document store, compared with a full scan. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { toIdKey } from '../../plugins/document-stores/embedded/codec.js';
import { compileTest } from '../../plugins/document-stores/embedded/engine.js';
import { createOrder } from '../../plugins/document-stores/embedded/sort-order.js';
import type { Document, DocumentStore } from '../../plugins/document-stores/kind.js';
import { fc } from '../support/properties.js';
import { inTransaction } from './document-store-support.js';

/** Ends a transaction. */
class Rollback extends Error {}

export function documentIdOrderTests(store: () => DocumentStore): void {
  it('find by ranges and in the order of `_id` what a full scan finds, whatever the types of ids', async () => {
    const handle = store();
    const short = fc.constantFrom(
      '',
      'Z',
      '_',
      'a',
      'a b',
      '~',
      'é',
      '\u{1f600}',
      '\uffee',
      'a\0',
      '\ud800',
      'x'.repeat(79),
    );
    const text = fc
      .tuple(short, fc.oneof(fc.constantFrom('', 'B', 'y'.repeat(9)), fc.nat().map(String)))
      .map((parts) => parts.join(''));
    const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, -0, 5e-324, -1e21, 1.5e-7, 10, 9));
    const time = fc.integer({ min: -8.64e15, max: 8.64e15 }).map((at) => new Date(at));
    const object = fc.oneof(
      number.map((n) => ({ n })),
      fc.constantFrom(null, {}, { a: 'b' }),
    );
    const objectId = fc.integer({ min: 0, max: 2 ** 31 }).map((seconds) => ObjectId.createFromTime(seconds));
    const types: fc.Arbitrary<unknown>[] = [number, number, text, text, fc.boolean(), time, object, objectId];
    const id = fc.oneof(...types);
    const createDocuments = (of: fc.Arbitrary<unknown>, count: number): Document[] => {
      const made = new Map(fc.sample(fc.noBias(of), count).map((one) => [toIdKey(one), one]));
      return [...made.values()].map((_id, n) => ({ _id, n, tag: `t${n % 3}` }));
    };
    const collections = {
      mixed: createDocuments(id, 900),
      unplaced: createDocuments(
        fc.oneof(
          id,
          fc.nat().map((n) => `ü${n}`),
        ),
        1500,
      ),
    };
    for (const [name, documents] of Object.entries(collections)) await handle.insert(name, documents, null);
    const createBound = (of: fc.Arbitrary<unknown>) =>
      fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), of).map((pair) => Object.fromEntries([pair]));
    const bounds = [...types, id].map((of) =>
      fc.oneof(
        createBound(of),
        fc.tuple(createBound(of), createBound(of)).map(([a, b]) => ({ ...a, ...b })),
      ),
    );
    const range = fc.oneof(...bounds).map((_id) => ({ _id }));
    const other = fc.constantFrom<Document>({}, { n: { $gte: 500 } }, { tag: 't1' }, { tag: 't1', n: { $lt: 80 } });
    const filter = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(range, other).map(([a, b]) => ({ ...a, ...b })) },
      fc.tuple(range, other, range).map((all) => ({ $and: all })),
      other,
    );
    const direction = fc.constantFrom(1, -1);
    const sort = fc.option(
      fc.oneof(
        { weight: 3, arbitrary: direction.map((_id) => ({ _id })) },
        direction.map((_id) => ({ _id, n: 1 })),
      ),
      { nil: undefined },
    );
    const window = fc.record({
      skip: fc.constantFrom<number>(0, 0, 3, 700),
      limit: fc.constantFrom<number>(1, 5, 100, 900),
    });
    const name = fc.constantFrom<keyof typeof collections>('mixed', 'mixed', 'unplaced');
    let found = 0;
    const property = fc.asyncProperty(name, filter, sort, window, async (collection, asked, order, { skip, limit }) => {
      const matching = collections[collection].filter(compileTest(asked));
      const sorted = order === undefined ? matching : matching.sort(createOrder(order));
      const expected = sorted.slice(skip, skip + limit);
      const options = { skip, limit, ...(order !== undefined && { sort: order }) };
      expect(await handle.find(collection, asked, options, null)).to.deep.equal(expected);
      found += expected.length;
      if (limit !== 5) return;
      expect(await handle.count(collection, asked, null)).to.equal(matching.length);
      await inTransaction(handle, async (inside) => {
        expect(await handle.find(collection, asked, { ...options, lock: true }, inside)).to.deep.equal(expected);
        const one = { one: true, ...(order !== undefined && { sort: order }) };
        expect(await handle.update(collection, asked, { $set: { x: 1 } }, one, inside)).to.deep.equal(
          sorted.slice(0, 1).map((first) => ({ ...first, x: 1 })),
        );
        throw new Rollback();
      }).catch((error: unknown) => expect(error).to.be.instanceOf(Rollback));
    });
    const all = { skip: 0, limit: 900 };
    await fc.assert(property, {
      numRuns: 100,
      examples: [
        ['mixed', {}, { _id: 1 }, all],
        ['mixed', { n: { $gte: 500 } }, { _id: -1 }, all],
        ['mixed', { tag: 't1' }, { _id: 1 }, { skip: 0, limit: 62 }],
        ['mixed', { tag: 't1' }, { _id: -1 }, { skip: 0, limit: 100 }],
        ['mixed', { _id: { $gt: new Date(0) } }, undefined, all],
      ],
    });
    expect(found).to.be.greaterThan(500);
  });
}
