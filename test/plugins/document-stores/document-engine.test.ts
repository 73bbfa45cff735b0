/** Computations of the embedded document store where its library differs from MongoDB: order, slices, stages. */
import { expect } from 'chai';
import { projectDocuments, runPipeline } from '../../../plugins/document-stores/embedded/engine.js';
import { compareDocumentValues } from '../../../plugins/document-stores/embedded/sort-order.js';

const none = (): [] => [];

describe('order of nested documents', () => {
  it('compares the types of the first fields, then their names, then their values, then the number of fields', () => {
    const ordered = [{}, { b: 1 }, { b: 2 }, { b: 2, c: 0 }, { c: 1 }, { a: 'x' }, { a: 'y' }];
    for (const [i, one] of ordered.entries())
      for (const [j, other] of ordered.entries())
        expect(
          Math.sign(compareDocumentValues(one, other)),
          `${JSON.stringify(one)}, ${JSON.stringify(other)}`,
        ).to.equal(Math.sign(i - j));
  });
});

describe('projection with $slice', () => {
  it('cuts the list and keeps all other fields', () => {
    const [found] = projectDocuments([{ _id: 1, list: [1, 2, 3], rest: 'x' }], {}, { list: { $slice: 2 } });
    expect(found).to.deep.equal({ _id: 1, list: [1, 2], rest: 'x' });
  });

  it('counts from the end, and from an index', () => {
    const cut = (spec: unknown): unknown =>
      projectDocuments([{ list: [1, 2, 3, 4] }], {}, { list: { $slice: spec } })[0]?.['list'];
    expect([cut(-1), cut([1, 2]), cut([-3, 2])]).to.deep.equal([[4], [2, 3], [2, 3]]);
  });
});

describe('projection', () => {
  for (const [title, projection, expected] of [
    ['included fields', { a: 1 }, { _id: 1, a: 1 }],
    ['excluded fields', { a: 0 }, { _id: 1, list: [1, 2, 3], b: 2 }],
    ['a slice with included fields', { a: 1, list: { $slice: 1 } }, { _id: 1, a: 1, list: [1] }],
    ['a slice with excluded fields', { a: 0, list: { $slice: -1 } }, { _id: 1, list: [3], b: 2 }],
    ['a slice without the id', { _id: 0, list: { $slice: [1, 1] } }, { list: [2], a: 1, b: 2 }],
    ['a slice of a value that is not a list', { a: { $slice: 1 } }, { _id: 1, list: [1, 2, 3], a: 1, b: 2 }],
    ['a slice of a missing field', { none: { $slice: 1 } }, { _id: 1, list: [1, 2, 3], a: 1, b: 2 }],
    ['a slice before the beginning', { a: 1, list: { $slice: [-9, 2] } }, { _id: 1, a: 1, list: [1, 2] }],
    ['a slice from the beginning', { a: 1, list: { $slice: [0, 2] } }, { _id: 1, a: 1, list: [1, 2] }],
    ['an expression that slices', { _id: 0, cut: { $slice: ['$list', 2] } }, { cut: [1, 2] }],
  ] as const)
    it(title, () => {
      expect(projectDocuments([{ _id: 1, list: [1, 2, 3], a: 1, b: 2 }], {}, projection)).to.deep.equal([expected]);
    });
});

describe('pipeline stages', () => {
  it('$bucket adds a boundary to the group that begins with it, and the rest to the default', () => {
    const documents = [0, 9, 10, 19, 20, -1].map((n, _id) => ({ _id, n }));
    const spec = { groupBy: '$n', boundaries: [0, 10, 20], default: 'other', output: { all: { $push: '$n' } } };
    expect(runPipeline(documents, [{ $bucket: spec }], none)).to.deep.equal([
      { _id: 0, all: [0, 9] },
      { _id: 10, all: [10, 19] },
      { _id: 'other', all: [20, -1] },
    ]);
  });

  it('$lookup finds a value in a list of the other collection, and an empty list as a missing value', () => {
    const others = [{ _id: 'a', tags: ['x', 'y'] }, { _id: 'b', tags: [] }, { _id: 'c', tags: 'x' }, { _id: 'd' }];
    const stage = { $lookup: { from: 'others', localField: 'tag', foreignField: 'tags', as: 'found' } };
    const ids = (document: object): unknown =>
      (runPipeline([{ _id: 1, ...document }], [stage], () => others)[0]?.['found'] as { _id: string }[]).map(
        ({ _id }) => _id,
      );
    expect(ids({ tag: 'x' })).to.deep.equal(['a', 'c']);
    expect(ids({ tag: ['y', 'x'] })).to.deep.equal(['a', 'c']);
    expect(ids({})).to.deep.equal(['b', 'd']);
  });

  it('$lookup runs a pipeline on its matches, with variables of the document', () => {
    const others = [
      { _id: 'a', k: 1, n: 1 },
      { _id: 'b', k: 1, n: 5 },
      { _id: 'c', k: 2, n: 9 },
    ];
    const spec = { from: 'others', localField: 'k', foreignField: 'k', let: { least: '$least' }, as: 'found' };
    const pipeline = [{ $match: { $expr: { $gte: ['$n', '$$least'] } } }, { $project: { n: 0, k: 0 } }];
    const [found] = runPipeline([{ _id: 1, k: 1, least: 3 }], [{ $lookup: { ...spec, pipeline } }], () => others);
    expect(found).to.deep.equal({ _id: 1, k: 1, least: 3, found: [{ _id: 'b' }] });
    const [all] = runPipeline([{ _id: 1, k: 1 }], [{ $lookup: { ...spec, pipeline: [] } }], () => others);
    expect(all?.['found']).to.deep.equal(others.slice(0, 2));
    expect(runPipeline([{ _id: 1, k: 1 }], [{ $lookup: spec }], () => [])[0]?.['found']).to.deep.equal([]);
  });

  it('$trunc accepts a number alone, and a number of places', () => {
    const stage = { $project: { _id: 0, whole: { $trunc: '$n' }, tenths: { $trunc: ['$n', 1] } } };
    expect(runPipeline([{ _id: 1, n: 7.89 }], [stage], none)).to.deep.equal([{ whole: 7, tenths: 7.8 }]);
  });
});

describe('expressions', () => {
  const DAY = new Date('2030-01-31T12:34:56.789Z');
  const evaluateExpression = (expression: unknown): unknown =>
    runPipeline([{ _id: 1, day: DAY, n: 5 }], [{ $project: { _id: 0, v: expression } }], none)[0]?.['v'];

  for (const [expression, expected] of [
    [{ $eq: ['$none', null] }, false],
    [{ $eq: ['$none', '$other'] }, true],
    [{ $ne: ['$none', null] }, true],
    [{ $ne: [1, 1] }, false],
    [{ $gt: ['$none', null] }, false],
    [{ $gt: [2, 1] }, true],
    [{ $gt: [1, 1] }, false],
    [{ $gte: [1, 1] }, true],
    [{ $gte: [0, 1] }, false],
    [{ $lt: ['$none', null] }, true],
    [{ $lt: [1, 1] }, false],
    [{ $lte: [1, 1] }, true],
    [{ $lte: [2, 1] }, false],
    [{ $cmp: ['a', 1] }, 1],
    [{ $cmp: [1, 'a'] }, -1],
    [{ $cmp: [null, '$none'] }, 1],
    [{ $cmp: ['$none', '$other'] }, 0],
    [{ $trunc: [-7.89] }, -7],
    [{ $range: [0, 5, 2] }, [0, 2, 4]],
    [{ $range: [5, 0, -2] }, [5, 3, 1]],
    [{ $range: [0, '$n'] }, [0, 1, 2, 3, 4]],
    [{ $range: [3, 0] }, []],
    [{ $regexFindAll: { input: null, regex: 'a' } }, []],
    [{ $regexFindAll: { input: '$none', regex: 'a' } }, []],
    [{ $regexFindAll: { input: 'a', regex: null } }, []],
    [{ $regexFindAll: { input: 'a', regex: '$none' } }, []],
    [{ $regexFindAll: { input: 'a', regex: '' } }, [{ match: '', idx: 0, captures: [] }]],
    [{ $regexFindAll: { input: '', regex: '' } }, [{ match: '', idx: 0, captures: [] }]],
    [{ $regexFindAll: { input: 'ab', regex: { $literal: '$' } } }, [{ match: '', idx: 2, captures: [] }]],
    [{ $switch: { branches: [{ case: { $gt: ['$n', 9] }, then: 'a' }], default: 'b' } }, 'b'],
    [{ $switch: { branches: [{ case: { $gt: ['$n', 1] }, then: 'a' }] } }, 'a'],
    [{ $regexFindAll: { input: 'ab', regex: 'b|$' } }, [{ match: 'b', idx: 1, captures: [] }]],
    [{ $year: '$day' }, 2030],
    [{ $month: '$day' }, 1],
    [{ $week: '$day' }, 4],
    [{ $hour: '$day' }, 12],
    [{ $minute: '$day' }, 34],
    [{ $second: '$day' }, 56],
    [{ $millisecond: '$day' }, 789],
    [{ $dayOfMonth: '$day' }, 31],
    [{ $dayOfWeek: '$day' }, 5],
    [{ $dayOfYear: { date: '$day' } }, 31],
    [{ $isoWeek: { date: '$day' } }, 5],
    [{ $isoWeekYear: '$day' }, 2030],
    [{ $isoDayOfWeek: '$day' }, 4],
  ] as const)
    it(JSON.stringify(expression), () => expect(evaluateExpression(expression)).to.deep.equal(expected));

  it('of date parts are null without a date', () => {
    for (const part of [
      'year',
      'month',
      'week',
      'hour',
      'minute',
      'second',
      'millisecond',
      'dayOfMonth',
      'dayOfWeek',
      'dayOfYear',
      'isoWeek',
      'isoWeekYear',
      'isoDayOfWeek',
    ])
      for (const of of ['$none', null, { date: '$none' }])
        expect(evaluateExpression({ [`$${part}`]: of }), part).to.equal(null);
  });

  it('$week counts from Sundays, from 0 before the first one', () => {
    const weeks = [
      '2030-01-01',
      '2030-01-05',
      '2030-01-06',
      '2030-12-31',
      '2024-01-01',
      '2023-01-01',
      '2023-12-31',
    ].map((day) => evaluateExpression({ $week: new Date(`${day}T12:00:00Z`) }));
    expect(weeks).to.deep.equal([0, 0, 1, 52, 0, 1, 53]);
    expect(evaluateExpression({ $week: { date: new Date('2030-01-06T02:00:00Z'), timezone: '-05:00' } })).to.equal(0);
  });

  it('$regexFindAll returns characters and captures, and depends on case', () => {
    const found = evaluateExpression({ $regexFindAll: { input: 'é😀aXbx', regex: '(x)|(b)', options: 'i' } });
    expect(found).to.deep.equal([
      { match: 'X', idx: 3, captures: ['X', null] },
      { match: 'b', idx: 4, captures: [null, 'b'] },
      { match: 'x', idx: 5, captures: ['x', null] },
    ]);
    const ends = evaluateExpression({ $regexFindAll: { input: 'ab', regex: '' } }) as readonly { idx: number }[];
    expect(ends.map(({ idx }) => idx)).to.deep.equal([0, 1]);
  });

  for (const expression of [
    { $regexFindAll: { input: 5, regex: 'a' } },
    { $regexFindAll: { input: 'a', regex: 5 } },
    { $regexFindAll: { input: 'a', regex: 'a', options: 5 } },
    { $regexFindAll: { input: 'a', regex: '(a+)\\1' } },
    { $switch: { branches: [{ case: false, then: 1 }] } },
    { $range: [0, 1_000_001] },
    { $range: [0, 'x'] },
    { $function: { body: 'return 1', args: [], lang: 'js' } },
  ])
    it(`rejects ${JSON.stringify(expression)}`, () => {
      expect(() => evaluateExpression(expression))
        .to.throw()
        .with.property('code', 'QRY_FAILED');
    });

  it('$range creates at most a million numbers', () => {
    expect(evaluateExpression({ $size: { $range: [0, 1_000_000] } })).to.equal(1_000_000);
    expect(evaluateExpression({ $size: { $range: [1_000_000, 2_000_000, 4] } })).to.equal(250_000);
  });
});

describe('group stages', () => {
  it('$bucket counts by default, and rejects a value outside without a default', () => {
    const spec = { groupBy: '$n', boundaries: [0, 10, 20] };
    expect(runPipeline([{ n: 1 }, { n: 12 }, { n: 12 }], [{ $bucket: spec }], none)).to.deep.equal([
      { _id: 0, count: 1 },
      { _id: 10, count: 2 },
    ]);
    expect(() => runPipeline([{ n: 30 }], [{ $bucket: spec }], none))
      .to.throw()
      .with.property('code', 'QRY_FAILED');
  });

  it('$count returns no document for none', () => {
    expect(runPipeline([], [{ $count: 'n' }], none)).to.deep.equal([]);
    expect(runPipeline([{ a: 1 }, { a: 2 }], [{ $count: 'n' }], none)).to.deep.equal([{ n: 2 }]);
  });

  it('$push and $addToSet collect null, but not a missing value', () => {
    const group = { $group: { _id: null, all: { $push: '$v' }, set: { $addToSet: '$v' } } };
    const [found] = runPipeline([{ _id: 1 }, { _id: 2, v: null }, { _id: 3, v: 1 }, { _id: 4, v: 1 }], [group], none);
    expect(found?.['all']).to.deep.equal([null, 1, 1]);
    expect(found?.['set']).to.have.members([null, 1]);
    const objects = runPipeline([{ a: 1 }, {}], [{ $group: { _id: null, all: { $push: { a: '$a' } } } }], none);
    expect(JSON.stringify(objects[0]?.['all'])).to.equal('[{"a":1},{}]');
  });
});
