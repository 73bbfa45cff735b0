/** Filters of the embedded document store without a database: matches of each operator, as MongoDB documents them. */
import { expect } from 'chai';
import { ObjectId } from 'bson';
import { Fault } from '../../../contract/fault.js';
import { compileTest } from '../../../plugins/document-stores/embedded/engine.js';
import type { Document } from '../../../plugins/document-stores/kind.js';
import { startStopwatch } from '../../support/stopwatch.js';

const ID = new ObjectId('0123456789abcdef01234567');
const DAY = new Date('2030-01-31T12:00:00Z');
const OTHER_DAY = new Date('2030-02-01T12:00:00Z');
/** No value at all: the field is left out. */
const MISSING = Symbol('missing');
const LONG = 2 ** 31;

/** For titles: also patterns, and numbers that JSON does not have. */
const formatCondition = (condition: unknown): string =>
  JSON.stringify(condition, (_, value: unknown) =>
    value instanceof RegExp || Number.isNaN(value) ? String(value) : value,
  );

const createDocument = (v: unknown): Document => (v === MISSING ? { other: 1 } : { v, other: 1 });

type Row = readonly [condition: unknown, found: readonly unknown[], left: readonly unknown[], path?: string];

/** By operator; `found` and `left` are values of the field `v`. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  equality: [
    [5, [5, [4, 5], [5]], [4, '5', [[5]], { a: 5 }, null, MISSING]],
    [null, [null, MISSING, [1, null]], [0, '', false, [], {}]],
    ['x', ['x', ['y', 'x']], ['X', ['xy'], 0]],
    [true, [true], [1, 'true', false]],
    [DAY, [new Date(DAY), [OTHER_DAY, new Date(DAY)]], [OTHER_DAY, Number(DAY), DAY.toISOString()]],
    [ID, [new ObjectId(ID.toHexString())], [ID.toHexString(), new ObjectId('0123456789abcdef01234568')]],
    [
      [1, 2],
      [
        [1, 2],
        [[1, 2], 3],
      ],
      [[2, 1], [1], [1, 2, 3], 1],
    ],
    [[], [[], [[]]], [[1], null, MISSING]],
    [{ a: 1, b: 2 }, [{ a: 1, b: 2 }, [{ a: 1, b: 2 }]], [{ b: 2, a: 1 }, { a: 1 }, { a: 1, b: 2, c: 3 }]],
    [/^a/i, ['abc', ['b', 'ABC']], ['ba', 5, null, MISSING]],
    [{ $eq: 5 }, [5, [5]], [6, MISSING]],
    [{ $ne: 5 }, [6, '5', MISSING, null, [6]], [5, [6, 5]]],
    [{ $ne: null }, [0, []], [null, MISSING, [null]]],
    [{ $eq: NaN }, [NaN], [0, null]],
  ],
  paths: [
    [
      5,
      [{ a: 5 }, [{ a: 5 }], [{ a: 4 }, { a: [5] }], { a: [4, 5] }],
      [{ a: 4 }, 5, [5], [[{ a: 5 }]], {}, MISSING],
      'v.a',
    ],
    [null, [{ a: null }, {}, MISSING, 5, [{ a: 1 }, {}]], [{ a: 1 }, [], [5], [{ a: 1 }]], 'v.a'],
    [5, [[4, 5], { 1: 5 }, [{ 1: 5 }]], [[5, 4], [5], 5, [[4, 5], 4]], 'v.1'],
    [5, [[{ a: 5 }], [{ 0: { a: 5 } }]], [[{ a: 4 }, { a: 5 }], { a: 5 }], 'v.0.a'],
    [[1, 2], [[[1, 2]]], [[[1, 2, 3]], [1, 2]], 'v.0'],
    [1, [[1]], [[[1]]], 'v.0'],
    [5, [{ a: { b: 5 } }, { a: [{ b: 5 }] }, [{ a: [{ b: 5 }] }]], [{ a: 5 }, { b: 5 }, { 'a.b': 5 }], 'v.a.b'],
    [{ $exists: true }, [{ constructor: 1 }], [{}, 5], 'v.constructor'],
    [{ $exists: true }, [{ a: 1 }], [DAY, ID, 'text'], 'v.a'],
  ],
  '$in and $nin': [
    [{ $in: [1, 'x'] }, [1, 'x', [2, 1]], ['1', 2, [], MISSING]],
    [{ $in: [null] }, [null, MISSING], [0, []]],
    [{ $in: [/^a/] }, ['ab'], ['ba', 'b']],
    [{ $in: [[1]] }, [[1], [[1]]], [1, [1, 1]]],
    [{ $in: [] }, [], [1, null, MISSING]],
    [{ $nin: [1, 'x'] }, [2, MISSING, []], [1, ['x']]],
    [{ $nin: [null] }, [0], [null, MISSING]],
  ],
  ranges: [
    [{ $gt: 5 }, [6, 5.1, [1, 6], Infinity], [5, 4, '6', null, MISSING, true, NaN, DAY]],
    [{ $gte: 5 }, [5, 6], [4.9, '5', NaN]],
    [{ $lt: 5 }, [4, -Infinity, [9, 1]], [5, 6, '4', null, MISSING, NaN, false]],
    [{ $lte: 5 }, [5, 4], [5.1, null, NaN]],
    [{ $gt: 'b' }, ['c', 'bb', 'é'], ['b', 'a', 'B', 5]],
    [{ $lte: 'b' }, ['b', 'B', ''], ['bb', 0]],
    [{ $gt: DAY }, [OTHER_DAY], [new Date(DAY), Number(OTHER_DAY)]],
    [{ $gte: DAY }, [new Date(DAY)], [new Date(0)]],
    [{ $gt: false }, [true], [false, 1]],
    [{ $gte: null }, [null, MISSING], [0, '']],
    [{ $gt: null }, [], [0, null, MISSING]],
    [{ $lt: ID }, [new ObjectId('0123456789abcdef01234566')], [ID, 'a']],
    [{ $gte: NaN }, [NaN], [0, 5]],
    [{ $gt: NaN }, [], [NaN, 0, 5]],
    [{ $lte: NaN }, [NaN], [0]],
    [{ $lt: NaN }, [], [NaN, 0]],
    [{ $gte: [2] }, [[2], [3], [2, 1]], [[1], 2]],
    [{ $lt: { a: 2 } }, [{ a: 1 }, {}], [{ a: 2 }, { b: 1 }]],
    [{ $gt: 1, $lt: 3 }, [2, [0, 9]], [1, 3]],
  ],
  $exists: [
    [{ $exists: true }, [1, null, false, [], ''], [MISSING]],
    [{ $exists: false }, [MISSING], [1, null, []]],
    [{ $exists: 1 }, [1], [MISSING]],
    [{ $exists: 0 }, [MISSING], [1]],
  ],
  $type: [
    [{ $type: 'number' }, [1, 1.5, NaN, LONG, ['a', 1]], ['1', null, DAY, MISSING]],
    [{ $type: 'int' }, [1, 0, LONG - 1, -LONG], [1.5, LONG, -LONG - 1, '1']],
    [{ $type: 'long' }, [LONG, -LONG - 1], [1, 1.5, LONG - 1]],
    [{ $type: 'double' }, [1.5, NaN], [1, '1.5']],
    [{ $type: 'decimal' }, [], [1, 1.5]],
    [{ $type: 'string' }, ['', ['a']], [1, null, MISSING]],
    [{ $type: 'bool' }, [true, false], [0, 'true']],
    [{ $type: 'date' }, [DAY], [Number(DAY), '2030-01-31']],
    [{ $type: 'objectId' }, [ID], [ID.toHexString(), {}]],
    [{ $type: 'null' }, [null, [null]], [MISSING, 0]],
    [{ $type: 'array' }, [[], [1]], [{}, 1]],
    [{ $type: 'object' }, [{}, [{ a: 1 }]], [[], [[]], DAY, ID, null]],
    [{ $type: ['string', 'bool'] }, ['a', true], [1, null]],
    [{ $type: 1 }, [1.5], [1]],
    [{ $type: 2 }, ['a'], [1]],
    [{ $type: 3 }, [{}], [[]]],
    [{ $type: 4 }, [[]], [{}]],
    [{ $type: 7 }, [ID], ['a']],
    [{ $type: 8 }, [true], [1]],
    [{ $type: 9 }, [DAY], [1]],
    [{ $type: 10 }, [null], [MISSING]],
    [{ $type: 16 }, [1], [1.5, LONG]],
    [{ $type: 18 }, [LONG], [1]],
    [{ $type: 19 }, [], [1, 1.5]],
  ],
  $mod: [
    [{ $mod: [4, 1] }, [1, 5, 5.9, [2, 5]], [4, '5', null, MISSING]],
    [{ $mod: [4.9, 1.9] }, [1, 5], [2, 0]],
    [{ $mod: [4, 0] }, [0, 8, -4], [1]],
    [{ $mod: [4, -1] }, [-5, -1], [3, 5]],
  ],
  $size: [
    [
      { $size: 2 },
      [
        [1, 2],
        [[], []],
      ],
      [[1], [1, 2, 3], 'ab', 2, MISSING],
    ],
    [{ $size: 0 }, [[]], [[1], null, '', MISSING]],
    [{ $size: 1 }, [{ a: [1] }, [{ a: [1, 2] }, { a: [3] }]], [{ a: [1, 2] }, [1]], 'v.a'],
  ],
  $all: [
    [{ $all: [1, 2] }, [[2, 3, 1]], [[1], 1, [3], MISSING]],
    [{ $all: [1] }, [1, [1, 2]], [2, []]],
    [{ $all: [[1, 2]] }, [[1, 2], [[1, 2]]], [[2, 1]]],
    [{ $all: [/^a/, 'b'] }, [['ab', 'b']], [['ab'], ['b']]],
    [{ $all: [] }, [], [[], [1], MISSING]],
    [{ $all: [null] }, [null, MISSING, [null]], [0, []]],
    [
      { $all: [{ $elemMatch: { a: 1 } }, { $elemMatch: { b: 2 } }] },
      [[{ a: 1 }, { b: 2 }]],
      [[{ a: 1 }], [{ b: 2 }], { a: 1, b: 2 }],
    ],
    [{ $all: [{ a: 1 }] }, [[{ a: 1 }], { a: 1 }], [[{ a: 1, b: 2 }]]],
  ],
  $elemMatch: [
    [
      { $elemMatch: { a: 1, b: 2 } },
      [[{ a: 1, b: 2 }]],
      [[{ a: 1 }, { b: 2 }], { a: 1, b: 2 }, [[{ a: 1, b: 2 }]], [1]],
    ],
    [{ $elemMatch: { $gt: 1, $lt: 3 } }, [[0, 2]], [[1, 3], 2, [[2]], []]],
    [{ $elemMatch: { $in: [2, [3]] } }, [[2], [[3]]], [[[2]], 2]],
    [{ $elemMatch: { $ne: 2 } }, [[1], [[2]]], [[2], []]],
    [{ $elemMatch: { $size: 1 } }, [[[2]], [[], [1]]], [[1], [[]]]],
    [{ $elemMatch: { $type: 'array' } }, [[[]]], [[1]]],
    [{ $elemMatch: { $elemMatch: { $gt: 1 } } }, [[[2]]], [[2], [[1]]]],
    [{ $elemMatch: { $or: [{ a: 1 }, { b: 1 }] } }, [[{ a: 1 }], [{ b: 1 }]], [[{ c: 1 }], { a: 1 }]],
    [{ $elemMatch: {} }, [[{}], [{ a: 1 }]], [[1], []]],
    [{ $elemMatch: { a: null } }, [[{}], [{ a: null }]], [[1], []]],
  ],
  $regex: [
    [{ $regex: '^a.c$' }, ['abc', ['x', 'abc']], ['abcd', 'ABC', 5, null, MISSING]],
    [{ $regex: '^A', $options: 'i' }, ['abc', 'ABC'], ['ba']],
    [{ $regex: '^b', $options: 'm' }, ['a\nb'], ['ab']],
    [{ $regex: 'a.b', $options: 's' }, ['a\nb'], ['ab']],
    [{ $regex: 'x{2}' }, ['axxb'], ['axb']],
  ],
  '$not, $and, $or, $nor': [
    [{ $not: { $gt: 5 } }, [5, '6', MISSING, null], [6, [1, 6]]],
    [{ $not: { $exists: true } }, [MISSING], [null, 1]],
    [{ $not: { $regex: '^a' } }, ['b', 5, MISSING], ['a']],
  ],
};

describe('filters of the embedded document store', () => {
  for (const [title, rows] of Object.entries(ROWS))
    describe(title, () => {
      for (const [condition, found, left, path = 'v'] of rows)
        it(`${path}: ${formatCondition(condition)}`, () => {
          const test = compileTest({ [path]: condition });
          const matchAll = (all: readonly unknown[]): boolean[] => all.map((v) => test(createDocument(v)));
          expect(matchAll(found), 'found').to.deep.equal(found.map(() => true));
          expect(matchAll(left), 'left').to.deep.equal(left.map(() => false));
        });
    });

  it('combine queries', () => {
    const listMatches = (filter: Document): number[] =>
      [{ a: 1 }, { a: 2 }, { a: 1, b: 1 }, {}].flatMap((one, i) => (compileTest(filter)(one) ? [i] : []));
    expect(listMatches({})).to.deep.equal([0, 1, 2, 3]);
    expect(listMatches({ $and: [{ a: 1 }, { b: 1 }] })).to.deep.equal([2]);
    expect(listMatches({ $or: [{ a: 2 }, { b: 1 }] })).to.deep.equal([1, 2]);
    expect(listMatches({ $nor: [{ a: 2 }, { b: 1 }] })).to.deep.equal([0, 3]);
    expect(listMatches({ a: 1, b: { $exists: false } })).to.deep.equal([0]);
    expect(listMatches({ $expr: { $gt: ['$a', 1] } })).to.deep.equal([1]);
  });

  it('return the same for a pattern with a last index', () => {
    for (const pattern of [/a/g, /a/y]) {
      const test = compileTest({ v: pattern });
      expect([1, 2, 3].map(() => test({ v: 'a' }))).to.deep.equal([true, true, true]);
    }
  });

  for (const [title, filter] of [
    ['no list after $in', { v: { $in: 1 } }],
    ['no list after $nin', { v: { $nin: 'x' } }],
    ['no list after $all', { v: { $all: 1 } }],
    ['an unknown type', { v: { $type: 'integer' } }],
    ['an unknown number of a type', { v: { $type: 5 } }],
    ['a type that is an inherited property name', { v: { $type: 'constructor' } }],
    ['a negative size', { v: { $size: -1 } }],
    ['a fractional size', { v: { $size: 1.5 } }],
    ['a size that is a text', { v: { $size: '1' } }],
    ['a divisor of zero', { v: { $mod: [0, 1] } }],
    ['a divisor that is not a number', { v: { $mod: ['x', 1] } }],
    ['one number after $mod', { v: { $mod: [2] } }],
    ['a remainder that is not a number', { v: { $mod: [2, 'x'] } }],
    ['no number after $mod', { v: { $mod: [] } }],
    ['$mod of a number', { v: { $mod: 2 } }],
    ['$where', { $where: 'true' }],
    ['a pattern with a back-reference', { v: { $regex: String.raw`^(a+)\1$` } }],
    ['... that looks behind', { v: { $regex: '(?<=a+)b' } }],
    ['... that looks ahead without an end', { v: { $regex: '(?=a+)b' } }],
    ['... as a value', { v: /(a+)\1/ }],
    ['... in a list', { v: { $in: [/(a+)\1/] } }],
  ] as const)
    it(`reject ${title}`, () => {
      expect(() => compileTest(filter)({ v: 1 }))
        .to.throw(Fault)
        .with.property('code', 'QRY_FAILED');
    });

  for (const pattern of ['(a+)', '(ab)+', '(a{2})+', '[(]a+', String.raw`\(a+\)+`, '(a|b)*', '(a+){2}', '(a+)?'])
    it(`accept the pattern ${pattern}`, () => {
      expect(() => compileTest({ v: { $regex: pattern } })).not.to.throw();
    });

  for (const pattern of ['^(a+)+$', '(x|a*)*b', '(a{2,}){3,}b', '^(a+){2,30}b$', '^(a|aa)+$'])
    it(`match in time with the pattern ${pattern}`, () => {
      const elapsed = startStopwatch();
      expect(compileTest({ v: { $regex: pattern } })({ v: `${'a'.repeat(5000)}!` })).to.equal(false);
      expect(elapsed()).to.be.lessThan(1000);
    });
});
