/**
 * The order of values as MongoDB documents it: by type, within a type, and by the fields of a sort; also the terms of
 * the index.
 */
import { expect } from 'chai';
import { ObjectId } from 'bson';
import { compareDocumentValues, createOrder } from '../../../plugins/document-stores/embedded/sort-order.js';

const oid = (end: string): ObjectId => new ObjectId(end.padStart(24, '0'));
const formatValue = (value: unknown): string =>
  value instanceof ObjectId ? `id ${value.toHexString()}` : (JSON.stringify(value) ?? String(value));

/** Null, numbers, texts, objects, lists, ids, booleans, times; each type with values on both sides of its boundaries. */
const ASCENDING: readonly unknown[] = [
  null,
  NaN,
  -Infinity,
  -1,
  0,
  1.5,
  10,
  Infinity,
  '',
  '10',
  '9',
  'B',
  'a',
  'aa',
  'é',
  '\uffff',
  '\u{10000}',
  {},
  { a: null },
  { z: 1 },
  { z: 1, a: 1 },
  { z: 2 },
  { a: 'x' },
  { b: 'a' },
  { a: { z: 1 } },
  { a: [] },
  [],
  [null],
  [1],
  [1, 0],
  [2],
  ['a'],
  [[]],
  oid('1'),
  oid('a'),
  oid('f0'),
  false,
  true,
  new Date(-1),
  new Date(0),
  new Date(2),
];

describe('order of values', () => {
  it('is that of their types, then of their values, for every pair', () => {
    for (const [i, one] of ASCENDING.entries())
      for (const [j, other] of ASCENDING.entries())
        expect(Math.sign(compareDocumentValues(one, other)), `${formatValue(one)}, ${formatValue(other)}`).to.equal(
          Math.sign(i - j),
        );
  });

  it('treats a missing value as null, and the two zeros as equal', () => {
    for (const [one, other] of [
      [undefined, null],
      [0, -0],
      [new Date(5), new Date(5)],
      [oid('7'), oid('7')],
      [{ a: [1, { b: 'x' }] }, { a: [1, { b: 'x' }] }],
    ] as const)
      expect([compareDocumentValues(one, other), compareDocumentValues(other, one)].map(Math.abs)).to.deep.equal([
        0, 0,
      ]);
    expect(compareDocumentValues(undefined, 0)).to.be.lessThan(0);
  });
});

describe('sorted documents', () => {
  const OLD = new Date(0);
  for (const [title, sort, values, expected] of [
    ['upwards', { v: 1 }, [3, 1, 2], [1, 2, 3]],
    ['downwards', { v: -1 }, [1, 3, 2], [3, 2, 1]],
    ['upwards, a list by its least member', { v: 1 }, [2, [9, 1], 3, [4, 5]], [[9, 1], 2, 3, [4, 5]]],
    ['downwards, a list by its greatest member', { v: -1 }, [2, [9, 1], 3, [4, 5]], [[9, 1], [4, 5], 3, 2]],
    ['upwards, an empty list before null', { v: 1 }, [0, null, []], [[], null, 0]],
    ['downwards, an empty list last', { v: -1 }, [null, [], 0, 'a'], ['a', 0, null, []]],
    ['upwards, two empty lists as they were', { v: 1, _id: -1 }, [[], [], 1], [[], [], 1]],
    ['inside an object', { 'v.a': 1 }, [{ a: 2 }, { a: 1 }, 5, {}], [5, {}, { a: 1 }, { a: 2 }]],
    ['inside the objects of a list', { 'v.a': 1 }, [{ a: 2 }, [{ a: 3 }, { a: 1 }]], [[{ a: 3 }, { a: 1 }], { a: 2 }]],
    [
      'at an index of a list',
      { 'v.1': 1 },
      [
        [0, 3],
        [9, 1],
        [5, 2],
      ],
      [
        [9, 1],
        [5, 2],
        [0, 3],
      ],
    ],
    ['a missing index, as null', { 'v.1': 1 }, [[0, 3], [9], [5, null]], [[9], [5, null], [0, 3]]],
    ['below an index of a list', { 'v.0.a': 1 }, [[{ a: 2 }], [{ a: 1 }]], [[{ a: 1 }], [{ a: 2 }]]],
    [
      'a member without fields in a list, as null',
      { 'v.a': 1 },
      [{ a: 1 }, [5, { a: 3 }], [[{ a: 4 }]], []],
      [[5, { a: 3 }], [[{ a: 4 }]], [], { a: 1 }],
    ],
    [
      'a list at an index of a list, as itself',
      { 'v.0': 1 },
      [[[5, 1]], [3], [[2]], [{ a: 1 }], ['x']],
      [[3], ['x'], [{ a: 1 }], [[2]], [[5, 1]]],
    ],
    ['an empty list at an index of a list, before all', { 'v.0': 1 }, [[3], [null], [[]]], [[[]], [null], [3]]],
    [
      'the members of a list below an index',
      { 'v.0.a': 1 },
      [[{ a: 2 }], [{ a: [7, 1] }]],
      [[{ a: [7, 1] }], [{ a: 2 }]],
    ],
    [
      'a list in an object in a list, by its members',
      { 'v.a': -1 },
      [{ a: 5 }, [{ a: [9, 1] }]],
      [[{ a: [9, 1] }], { a: 5 }],
    ],
    [
      'a name that is a number in another notation',
      { 'v.0x0': 1 },
      [[{ '0x0': 2 }], [{ '0x0': 1 }]],
      [[{ '0x0': 1 }], [{ '0x0': 2 }]],
    ],
    [
      'a name that is a number beyond the end of the list',
      { 'v.5': 1 },
      [[{ 5: 2 }], [{ 5: 1 }]],
      [[{ 5: 1 }], [{ 5: 2 }]],
    ],
    [
      'an object without the field in a list, as null',
      { 'v.a': 1 },
      [{ a: 1 }, [{ a: 3 }, {}]],
      [[{ a: 3 }, {}], { a: 1 }],
    ],
    ['a name that ends in a number', { 'v.x0': 1 }, [[{ x0: 2 }], [{ x0: 1 }]], [[{ x0: 1 }], [{ x0: 2 }]]],
    ['a name that begins with a number', { 'v.0x': 1 }, [[{ '0x': 2 }], [{ '0x': 1 }]], [[{ '0x': 1 }], [{ '0x': 2 }]]],
    [
      'a text on the path, as null',
      { 'v.length': 1 },
      ['text', { length: 1 }, { length: null }],
      ['text', { length: null }, { length: 1 }],
    ],
    [
      'an inherited property name, as null',
      { 'v.toString': 1 },
      [{ toString: 0 }, {}, { toString: null }],
      [{}, { toString: null }, { toString: 0 }],
    ],
    ['a number as the name of a field', { 'v.1': 1 }, [{ 1: 'b' }, { 1: 'a' }], [{ 1: 'a' }, { 1: 'b' }]],
    ['a date has no fields', { 'v.a': 1 }, [{ a: 1 }, OLD], [OLD, { a: 1 }]],
  ] as const)
    it(title, () => {
      const documents = values.map((v, _id) => ({ _id, v }));
      expect([...documents].sort(createOrder(sort)).map(({ v }) => v)).to.deep.equal(expected);
    });

  it('are ordered by the next field among equals, each in its own direction', () => {
    const documents = [
      { a: 1, b: 1 },
      { a: 2, b: 1 },
      { a: 1, b: 2 },
      { a: 2, b: 2 },
    ];
    expect([...documents].sort(createOrder({ a: 1, b: -1 })).map(({ a, b }) => `${a}${b}`)).to.deep.equal([
      '12',
      '11',
      '22',
      '21',
    ]);
    expect(createOrder({ a: 1, b: -1 })({ a: 1, b: 1 }, { a: 1, b: 1 }) === 0).to.equal(true);
    expect([...documents].sort(createOrder({ a: -1, b: 1 })).map(({ a, b }) => `${a}${b}`)).to.deep.equal([
      '21',
      '22',
      '11',
      '12',
    ]);
  });

  it('treat a missing field as null', () => {
    const documents = [{ _id: 1, v: null }, { _id: 2 }, { _id: 3, v: undefined }];
    expect([...documents].sort(createOrder({ v: 1, _id: -1 })).map(({ _id }) => _id)).to.deep.equal([3, 2, 1]);
    expect([...documents].sort(createOrder({ v: -1, _id: 1 })).map(({ _id }) => _id)).to.deep.equal([1, 2, 3]);
  });
});
