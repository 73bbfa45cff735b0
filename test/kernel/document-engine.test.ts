/** What the embedded document store computes by itself where the library it stands on differs from MongoDB: order, cuts, stages. */
import { expect } from 'chai';
import { project, run } from '../../plugins/document-stores/embedded/engine.js';
import { compare } from '../../plugins/document-stores/embedded/order.js';

const none = (): [] => [];

describe('the order of documents inside documents', () => {
  it('compares the types of the first fields, then their names, then their values, then the number of fields', () => {
    const ordered = [{}, { b: 1 }, { b: 2 }, { b: 2, c: 0 }, { c: 1 }, { a: 'x' }, { a: 'y' }];
    for (const [i, one] of ordered.entries())
      for (const [j, other] of ordered.entries())
        expect(Math.sign(compare(one, other)), `${JSON.stringify(one)}, ${JSON.stringify(other)}`).to.equal(
          Math.sign(i - j),
        );
  });
});

describe('a projection with $slice', () => {
  it('cuts the list and keeps all other fields', () => {
    const [found] = project([{ _id: 1, list: [1, 2, 3], rest: 'x' }], {}, { list: { $slice: 2 } });
    expect(found).to.deep.equal({ _id: 1, list: [1, 2], rest: 'x' });
  });

  it('counts from the end, and from a place', () => {
    const cut = (spec: unknown): unknown =>
      project([{ list: [1, 2, 3, 4] }], {}, { list: { $slice: spec } })[0]?.['list'];
    expect([cut(-1), cut([1, 2]), cut([-3, 2])]).to.deep.equal([[4], [2, 3], [2, 3]]);
  });
});

describe('stages of a pipeline', () => {
  it('$bucket puts a boundary into the group that begins with it, and the rest into the default', () => {
    const documents = [0, 9, 10, 19, 20].map((n, _id) => ({ _id, n }));
    const spec = { groupBy: '$n', boundaries: [0, 10, 20], default: 'other', output: { all: { $push: '$n' } } };
    expect(run(documents, [{ $bucket: spec }], none)).to.deep.equal([
      { _id: 0, all: [0, 9] },
      { _id: 10, all: [10, 19] },
      { _id: 'other', all: [20] },
    ]);
  });

  it('$lookup finds a value in a list of the other collection, and an empty list as a missing value', () => {
    const others = [{ _id: 'a', tags: ['x', 'y'] }, { _id: 'b', tags: [] }, { _id: 'c', tags: 'x' }, { _id: 'd' }];
    const stage = { $lookup: { from: 'others', localField: 'tag', foreignField: 'tags', as: 'found' } };
    const ids = (document: object): unknown =>
      (run([{ _id: 1, ...document }], [stage], () => others)[0]?.['found'] as { _id: string }[]).map(({ _id }) => _id);
    expect(ids({ tag: 'x' })).to.deep.equal(['a', 'c']);
    expect(ids({ tag: ['y', 'x'] })).to.deep.equal(['a', 'c']);
    expect(ids({})).to.deep.equal(['b', 'd']);
  });

  it('$trunc takes a number alone, and a number of places', () => {
    const stage = { $project: { _id: 0, whole: { $trunc: '$n' }, tenths: { $trunc: ['$n', 1] } } };
    expect(run([{ _id: 1, n: 7.89 }], [stage], none)).to.deep.equal([{ whole: 7, tenths: 7.8 }]);
  });
});
