/**
 * The embedded store and a real MongoDB compared: random filters, updates and pipelines from one seed return the same
 * on both. Known differences are not generated, with a reason.
 */
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import type { RuntimeContext } from '../../contract/plugin.js';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import embedded from '../../plugins/document-stores/embedded/runtime.js';
import mongodb from '../../plugins/document-stores/mongodb/runtime.js';
import type { Document, DocumentStore } from '../../plugins/document-stores/kind.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { openDialect } from './dialect-open.js';
import { openStore } from './document-store-support.js';
import { skipTest } from '../support/skip.js';
import { fc } from '../support/properties.js';
import { countRuns } from '../support/sample.js';

const DOCUMENTS: readonly Document[] = [
  { _id: 1, a: 5, s: 'x', d: new Date(5), o: { p: 1, q: [1, 2] }, l: [1, 2, 3] },
  { _id: 2, a: [5, 6], s: 'y', d: null, o: [{ p: 1 }, { p: 2 }], l: [] },
  { _id: 3, a: '5', o: { p: [1, 5] }, l: [[1, 2], 3] },
  { _id: 4, a: null, s: 'É', l: [{ k: 1 }, { k: 2 }] },
  { _id: 5, s: '', o: null, b: true, l: [null] },
  { _id: 6, a: 5.5, d: new Date(1e12), o: { p: { z: 1 } }, b: false },
  { _id: 7, a: { p: 1, z: 2 }, s: 'X', o: { p: null } },
  { _id: 8, a: [[5]], l: ['x', 'y'], o: [] },
];

const scalar = fc.constantFrom<unknown>(0, 1, 2, 5, 5.5, -3, '', 'x', '5', true, false, null, new Date(5));
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('p', 'z', 'k'), scalar, { maxKeys: 2 }),
);
const path = fc.constantFrom('a', 's', 'd', 'o', 'l', 'b', 'none', 'o.p', 'o.q', 'o.p.z', 'l.0', 'l.k', 'a.p', 'o.0.p');
const createFilter = (key: string, inner: unknown): Document => ({ [key]: inner });

const operators = fc.oneof(
  value,
  fc
    .tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), scalar)
    .map(([key, inner]) => createFilter(key, inner)),
  fc
    .tuple(fc.constantFrom('$in', '$nin'), fc.array(scalar, { maxLength: 3 }))
    .map(([key, all]) => createFilter(key, all)),
  fc.boolean().map((there) => ({ $exists: there })),
  fc.nat(3).map((size) => ({ $size: size })),
  fc.constantFrom('number', 'string', 'array', 'object', 'null', 'bool', 'date').map((type) => ({ $type: type })),
  fc.array(scalar, { maxLength: 2 }).map((all) => ({ $all: all })),
  scalar.map((inner) => ({ $not: { $gt: inner } })),
  scalar.map((inner) => ({ $elemMatch: { $gte: inner } })),
  scalar.map((inner) => ({ $elemMatch: { k: inner } })),
);
const condition = fc.tuple(path, operators).map(([key, inner]) => createFilter(key, inner));
const filter = fc.oneof(
  { weight: 3, arbitrary: condition },
  fc
    .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(condition, { minLength: 1, maxLength: 2 }))
    .map(([key, all]) => createFilter(key, all)),
);

const operation = fc.oneof(
  fc.tuple(path, value).map(([at, inner]) => ({ $set: createFilter(at, inner) })),
  // Lists and objects are not ordered among other types by the embedded store's `$min` and `$max`.
  fc
    .tuple(fc.constantFrom('$min', '$max'), fc.constantFrom('s', 'd', 'b', 'none'), scalar)
    .map(([key, at, inner]) => createFilter(key, createFilter(at, inner))),
  fc
    .tuple(fc.constantFrom('$inc', '$mul'), path, fc.constantFrom(1, 2, -3))
    .map(([key, at, by]) => createFilter(key, createFilter(at, by))),
  fc
    .tuple(fc.constantFrom('$push', '$addToSet', '$pull'), path, scalar)
    .map(([key, at, inner]) => createFilter(key, createFilter(at, inner))),
  fc
    .tuple(path, fc.array(scalar, { maxLength: 2 }))
    .map(([at, all]) => ({ $push: createFilter(at, { $each: all, $slice: 2 }) })),
  fc.tuple(path, fc.constantFrom(1, -1)).map(([at, end]) => ({ $pop: createFilter(at, end) })),
  path.map((at) => ({ $unset: createFilter(at, '') })),
);

const stage = fc.oneof(
  filter.map((asked) => ({ $match: asked })),
  fc.constantFrom('$a', '$l', '$o').map((at) => ({ $unwind: at })),
  // In expressions, a number in a path is a name to MongoDB and a place to the embedded store.
  path.filter((at) => !/\d/.test(at)).map((at) => ({ $addFields: { made: `$${at}` } })),
  fc.constantFrom<Document>({ $limit: 3 }, { $skip: 1 }, { $project: { a: 1, l: 1 } }, { $project: { o: 0 } }),
  fc.constantFrom<Document>(
    { $addFields: { made: { $type: '$a' } } },
    { $addFields: { made: { $ifNull: ['$s', 'nothing'] } } },
    { $addFields: { made: { $cond: [{ $gt: ['$a', 5] }, 'more', 'less'] } } },
  ),
);
// Groups have no defined order: they are sorted by a unique value.
const last = fc.oneof(
  fc.constant<readonly Document[]>([]),
  fc
    .constantFrom('$b', '$s', '$o.p')
    .map((at) => [{ $group: { _id: at, n: { $sum: 1 }, top: { $max: '$_id' } } }, { $sort: { _id: 1, top: 1 } }]),
  fc.constant([{ $count: 'n' }]),
);
const pipeline = fc
  .tuple(fc.array(stage, { maxLength: 3 }), last)
  .map(([stages, end]): readonly Document[] => [{ $sort: { _id: 1 } }, ...stages, ...end]);

const RUNS = { numRuns: countRuns('mongo', 40, 200), seed: 20_300_131, endOnFailure: true };

describe('document stores: the embedded one equals MongoDB', function () {
  const stores: DocumentStore[] = [];
  const closing: (() => Promise<unknown>)[] = [];
  before(async function () {
    const server = await startMongo();
    if ('skip' in server) return skipTest(this, server.skip);
    const sql = await openDialect(pglite, { path: 'memory://' });
    const resolve: RuntimeContext['resolve'] = () => sql.handle as never;
    for (const store of [
      await openStore(mongodb, { options: { url: await createMongoDatabase() } }),
      await openStore(embedded, { resolve }),
    ]) {
      closing.push(store.close);
      stores.push(store.handle);
      await store.handle.insert('alike', DOCUMENTS, null);
    }
    closing.push(() => sql.close());
  });
  after(async () => {
    for (const close of closing) await close();
  });

  /** The result of both; the message contains the query. */
  async function alike(asked: unknown, work: (store: DocumentStore) => Promise<unknown>): Promise<void> {
    const [real, own] = await Promise.all(
      stores.map((store) =>
        work(store).then(
          (found) => JSON.stringify(found),
          (error: unknown) => `refused: ${error instanceof Fault ? error.code : String(error)}`,
        ),
      ),
    );
    expect(own, JSON.stringify(asked)).to.equal(real);
  }

  it('for filters', () =>
    fc.assert(
      fc.asyncProperty(filter, (asked) =>
        alike(asked, async (store) =>
          (await store.find('alike', asked, { sort: { _id: 1 } }, null)).map(({ _id }) => _id),
        ),
      ),
      RUNS,
    ));

  it('for updates', () =>
    fc.assert(
      fc.asyncProperty(fc.constantFrom(...DOCUMENTS), operation, ({ _id, ...rest }, update) =>
        alike([rest, update], async (store) => {
          await store.remove('changed', { _id: 1 }, {}, null);
          await store.insert('changed', [{ _id: 1, ...rest }], null);
          return store.update('changed', { _id: 1 }, update, {}, null);
        }),
      ),
      RUNS,
    ));

  it('for pipelines', () =>
    fc.assert(
      fc.asyncProperty(pipeline, (stages) => alike(stages, (store) => store.aggregate('alike', stages, null))),
      RUNS,
    ));
});
