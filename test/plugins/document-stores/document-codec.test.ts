/**
 * Documents in the embedded store: as JSON and back, keys of documents, index entries, and index lookups of a filter.
 */
import { expect } from 'chai';
import { ObjectId } from 'bson';
import { Fault } from '../../../contract/fault.js';
import {
  decode,
  encode,
  toIdKey,
  copyPlain,
  toScalarKey,
  shortenKey,
} from '../../../plugins/document-stores/embedded/codec.js';
import { createNarrowing, formatTerms, listTerms } from '../../../plugins/document-stores/embedded/index-terms.js';
import { createDocument, omitInsertOperators, createSeed } from '../../../plugins/document-stores/embedded/upsert.js';
import { validateOperands } from '../../../plugins/document-stores/embedded/update-operands.js';
import type { Document } from '../../../plugins/document-stores/kind.js';

const HEX = '0123456789abcdef01234567';
const ID = new ObjectId(HEX);

/** Code and first path of a rejection; null for none. */
function catchRejection(
  work: () => unknown,
): readonly [code: string, pointer: string | undefined, detail: string | undefined] | null {
  try {
    work();
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const [issue] = error.options.issues ?? [];
    return [error.code, issue?.pointer, issue?.detail];
  }
}

describe('documents as JSON', () => {
  for (const [title, value, json] of [
    ['a text', 'x', 'x'],
    ['an empty text', '', ''],
    ['null', null, null],
    ['a switch', false, false],
    ['a number', 1.5, 1.5],
    ['zero', 0, 0],
    ['negative zero', -0, { $number: '-0' }],
    ['no number', NaN, { $number: 'NaN' }],
    ['infinity', -Infinity, { $number: '-Infinity' }],
    ['a time', new Date(5), { $date: 5 }],
    ['an id', ID, { $oid: HEX }],
    ['a list', [1, [new Date(5)]], [1, [{ $date: 5 }]]],
    ['an object', { b: 1, a: { c: ID } }, { b: 1, a: { c: { $oid: HEX } } }],
    ['a name with a dollar sign', { $date: 5, $$x: 1, a$: 2 }, { $$date: 5, $$$x: 1, a$: 2 }],
  ] as const)
    it(`keep ${title}`, () => {
      const kept = encode({ v: value });
      expect(JSON.stringify(kept)).to.equal(JSON.stringify({ v: json }));
      expect(decode(JSON.parse(JSON.stringify(kept)))).to.deep.equal({ v: value });
    });

  it('keep the sign of zero, the order of fields, and a field named like the prototype', () => {
    expect(Object.is((decode(encode({ v: -0 })) as Document)['v'], -0)).to.equal(true);
    expect(Object.keys(decode(encode({ b: 1, a: 2 })) as Document)).to.deep.equal(['b', 'a']);
    const odd = JSON.parse('{"__proto__": {"x": 1}, "y": 2}') as Document;
    const back = decode(encode(odd)) as Document;
    expect(Object.getPrototypeOf(back)).to.equal(Object.prototype);
    expect(JSON.stringify(back)).to.equal('{"__proto__":{"x":1},"y":2}');
    // An update may write it like any other.
    expect(Reflect.set(back, '__proto__', 5)).to.equal(true);
    expect(JSON.stringify(back)).to.equal('{"__proto__":5,"y":2}');
  });

  it('contain null for undefined', () => {
    expect(encode({ v: undefined, list: [undefined] })).to.deep.equal({ v: null, list: [null] });
  });

  for (const [title, value, pointer, detail] of [
    ['a function', { a: { b: () => 1 } }, '/a', 'cannot be kept in a document'],
    ['a big integer', { 'a/b': [1n] }, '/a~1b', 'cannot be kept in a document'],
    ['a map', { a: new Map() }, '/a', 'cannot be kept in a document'],
    ['an invalid time', { a: { b: new Date(NaN) } }, '/a', 'is no date'],
  ] as const)
    it(`reject ${title}`, () => {
      expect(catchRejection(() => encode(value))).to.deep.equal(['QRY_BAD_VALUE', pointer, detail]);
    });

  it('can be nested a hundred levels like in MongoDB, and no deeper', () => {
    const nestDocument = (depth: number): Document => {
      let value: unknown = 1;
      for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { v: value };
      return { a: value };
    };
    expect(catchRejection(() => encode(nestDocument(99)))).to.equal(null);
    expect(catchRejection(() => encode(nestDocument(100)))).to.deep.equal([
      'QRY_BAD_VALUE',
      '/a',
      'is nested too deeply',
    ]);
  });

  it('accept an id of another copy of the library, but no object that a client has created', () => {
    class Other {
      toHexString(): string {
        return HEX;
      }
    }
    Object.defineProperty(Other.prototype, '_bsontype', { value: 'ObjectId' });
    expect(encode({ a: new Other() })).to.deep.equal({ a: { $oid: HEX } });
    expect(copyPlain({ a: new Other() }).a).to.be.instanceOf(ObjectId);
    expect(encode({ a: { _bsontype: 'ObjectId' } })).to.deep.equal({ a: { _bsontype: 'ObjectId' } });
    expect(
      catchRejection(() => encode({ a: Object.assign(new (class {})(), { _bsontype: 'ObjectId' }) }))?.[0],
    ).to.equal('QRY_BAD_VALUE');
  });

  it('contain plain objects for those without a prototype, and keep patterns and names', () => {
    const bare = Object.assign(Object.create(null) as Document, { $a: /x/ });
    const copy = copyPlain(bare);
    expect(Object.getPrototypeOf(copy)).to.equal(Object.prototype);
    expect(copy).to.deep.equal({ $a: /x/ });
  });
});

describe('keys of values', () => {
  it('are equal for equal values only', () => {
    const all = ['1', 1, true, 'true', false, new Date(1), ID, HEX, 'n1', -1, 1.5];
    const keys = all.map(toScalarKey);
    expect(new Set(keys).size).to.equal(all.length);
    expect(keys).not.to.include(null);
    expect(toScalarKey(0)).to.equal(toScalarKey(-0));
    expect(toScalarKey(new Date(1))).to.equal(toScalarKey(new Date(1)));
    for (const none of [null, undefined, NaN, Infinity, {}, [], /x/]) expect(toScalarKey(none)).to.equal(null);
  });

  it('are unchanged up to 80 printable characters, and a digest otherwise', () => {
    for (const text of ['a'.repeat(80), ' ~', '']) expect(shortenKey(text)).to.equal(text);
    for (const text of ['a'.repeat(81), 'é', '\n', '\x7f', '\x1f', '\0', '\ud800'])
      expect(shortenKey(text)).to.match(/^#[\w-]{32}$/);
    expect(shortenKey('\ud800')).not.to.equal(shortenKey('\ud801'));
  });

  it('of documents can be any value except a list, a pattern and none', () => {
    expect(toIdKey(1)).not.to.equal(toIdKey('1'));
    expect(toIdKey({ a: 1 })).not.to.equal(toIdKey({ a: 2 }));
    expect(toIdKey({ a: 1 })).to.equal(toIdKey({ a: 1 }));
    expect(toIdKey(null)).to.be.a('string');
    expect(toIdKey(NaN)).not.to.equal(toIdKey(Infinity));
    for (const id of [[1], undefined, /x/])
      expect(catchRejection(() => toIdKey(id))).to.deep.equal(['QRY_BAD_VALUE', '/_id', 'cannot be an id']);
  });
});

describe('document index', () => {
  it('contains every value at every path, those of lists one by one', () => {
    expect(listTerms({ a: 'x', b: { c: [1, [true, { d: 'y' }]] }, e: null, f: {}, g: [] })).to.deep.equal([
      'a=sx',
      'b.c=n1',
      'b.c=bt',
      'b.c.d=sy',
    ]);
  });

  it('is unspecific for more than 400 values', () => {
    const of = (count: number): readonly string[] => listTerms({ v: Array.from({ length: count }, (_, i) => i) });
    expect(of(400)).to.have.lengthOf(400);
    expect(of(401)).to.deep.equal(['*']);
  });

  it('is written as a PostgreSQL list', () => {
    expect(formatTerms({ a: '"\\', b: 1 })).to.equal(String.raw`{"a=s\"\\","b=n1"}`);
    expect(formatTerms({})).to.equal('{}');
  });
});

describe('index lookups of a filter', () => {
  for (const [filter, asked] of [
    [{}, []],
    [{ a: 1 }, [['a=n1']]],
    [{ a: { $eq: 'x' } }, [['a=sx']]],
    [{ a: { $in: [1, 2] } }, [['a=n1', 'a=n2']]],
    [{ a: { $in: [] } }, [[]]],
    [{ a: { $all: [1, 2] } }, [['a=n1'], ['a=n2']]],
    [{ 'a.b': true }, [['a.b=bt']]],
    [{ a: { $elemMatch: { b: 1 } } }, [['a.b=n1']]],
    [{ a: { $elemMatch: { b: 1, c: { $in: [2] } } } }, [['a.b=n1'], ['a.c=n2']]],
    [{ $and: [{ a: 1 }, { b: 2 }] }, [['a=n1'], ['b=n2']]],
    [{ $or: [{ a: 1 }, { b: 2 }] }, [['a=n1', 'b=n2']]],
    [{ $or: [{ a: 1, c: { $in: [1, 2] } }, { b: 2 }] }, [['a=n1', 'b=n2']]],
    [{ a: { $in: [1, 2, 3] }, b: 1, c: { $in: [1, 2] }, d: 4 }, [['b=n1'], ['d=n4'], ['c=n1', 'c=n2']]],
  ] as const)
    it(JSON.stringify(filter), () => expect(createNarrowing(filter)).to.deep.equal(asked));

  for (const filter of [
    { a: null },
    { a: { $ne: 1 } },
    { a: { $gt: 1 } },
    { a: { $in: [1, null] } },
    { a: { $in: 'x' } },
    { a: { $nin: [1] } },
    { a: { $not: { $eq: 1 } } },
    { a: [1] },
    { a: { b: 1 } },
    { a: NaN },
    { a: /x/ },
    { 'a.0': 1 },
    { '0.a': 1 },
    { 'a..b': 1 },
    { a: { $elemMatch: { $eq: 1 } } },
    { a: { $elemMatch: 1 } },
    { a: { $all: [1, { $elemMatch: { b: 1 } }] } },
    { $or: [{ a: 1 }, { b: { $gt: 1 } }] },
    { $or: [{ a: 1 }, 5] },
    { $or: 'x' },
    { $and: [5] },
    { $and: { a: 1 } },
    { $nor: [{ a: 1 }] },
    { $expr: { $eq: ['$a', 1] } },
    { $comment: 'x' },
  ])
    it(`are not possible for ${JSON.stringify(filter)}`, () => expect(createNarrowing(filter)).to.deep.equal([]));
});

describe('document created by an upsert', () => {
  for (const [filter, seed] of [
    [
      { a: 1, b: 'x' },
      { a: 1, b: 'x' },
    ],
    [{ a: { $eq: 1 } }, { a: 1 }],
    [{ a: { $gt: 1 } }, {}],
    [{ a: { $in: [1] } }, { a: 1 }],
    [{ a: { $in: [1, 2] } }, {}],
    [{ a: { $in: [] } }, {}],
    [{ a: { b: 1 } }, { a: { b: 1 } }],
    [{ a: {} }, { a: {} }],
    [{ a: null }, { a: null }],
    [{ a: [1] }, { a: [1] }],
    [{ $and: [{ a: 1 }, { $and: [{ b: 2 }] }, 5] }, { a: 1, b: 2 }],
    [{ $or: [{ a: 1 }] }, {}],
    [{ $nor: [{ a: 1 }], b: 1 }, { b: 1 }],
  ] as const)
    it(`for ${JSON.stringify(filter)} contains ${JSON.stringify(seed)}`, () =>
      expect(createSeed(filter)).to.deep.equal(seed));

  for (const [title, seed, update, made] of [
    ['$set and $setOnInsert', { a: 1 }, { $set: { b: 2 }, $setOnInsert: { c: 3 } }, { a: 1, b: 2, c: 3 }],
    ['$setOnInsert alone', { a: 1 }, { $setOnInsert: { c: 3 } }, { a: 1, c: 3 }],
    ['other operators', { a: 1 }, { $inc: { n: 2 }, $push: { l: 'x' } }, { a: 1, n: 2, l: ['x'] }],
    ['an operator on a value of the filter', { n: 1 }, { $inc: { n: 2 } }, { n: 3 }],
    ['no operator', { a: 1 }, {}, { a: 1 }],
    ['paths of the filter', { 'a.b': 1, 'a.c': 2, d: 3 }, { $set: { e: 4 } }, { a: { b: 1, c: 2 }, d: 3, e: 4 }],
    ['a path below a value that is not an object', { a: 1, 'a.b': 2 }, {}, { a: { b: 2 } }],
    ['stages', { a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { a: 1, b: 2 }],
  ] as const)
    it(title, () => expect(createDocument(seed, update, [])).to.deep.equal(made));

  it('has no prototype from the filter', () => {
    const seed = JSON.parse('{"__proto__": 1, "__proto__.x": 2, "a.__proto__.x": 3}') as Document;
    const made = createDocument(seed, {}, []);
    expect(Object.keys(made)).to.deep.equal(['a']);
    expect(({} as Document)['x']).to.equal(undefined);
  });

  it('differs from an update of an existing document', () => {
    expect(omitInsertOperators({ $set: { a: 1 }, $setOnInsert: { b: 1 } })).to.deep.equal({ $set: { a: 1 } });
    expect(omitInsertOperators([{ $set: { a: 1 } }])).to.deep.equal([{ $set: { a: 1 } }]);
  });
});

describe('updates that cannot be applied', () => {
  const NO_NUMBER = ['QRY_BAD_VALUE', '/a', 'is no number'];
  const NO_LIST = ['QRY_BAD_VALUE', '/a', 'is no list'];
  const NO_FIELDS = ['QRY_BAD_VALUE', '/a', 'has no fields'];
  const catchOperandRejection = (update: Document, a?: unknown): ReturnType<typeof catchRejection> =>
    catchRejection(() => validateOperands(update, [{ a }]));

  for (const operator of ['$inc', '$mul'])
    it(`${operator} of a value, or by a value, that is not a number`, () => {
      expect(catchOperandRejection({ [operator]: { a: 1 } }, 'x')).to.deep.equal(NO_NUMBER);
      expect(catchOperandRejection({ [operator]: { a: 1 } }, null)).to.deep.equal(NO_NUMBER);
      expect(catchOperandRejection({ [operator]: { a: 'x' } }, 1)).to.deep.equal(NO_NUMBER);
      expect(catchOperandRejection({ [operator]: { 'a.$[]': '1' } }, [1])).to.deep.equal(NO_NUMBER);
      expect(catchOperandRejection({ [operator]: { a: 1 } }, 1)).to.equal(null);
      expect(catchOperandRejection({ [operator]: { a: 1 } })).to.equal(null);
      expect(catchOperandRejection({ [operator]: { 'a.b': 1 } }, { b: 'x' })).to.deep.equal(NO_NUMBER);
      expect(catchOperandRejection({ [operator]: { 'a.0': 1 } }, [1])).to.equal(null);
    });

  for (const operator of ['$push', '$addToSet', '$pop', '$pull', '$pullAll'])
    it(`${operator} of a value that is not a list`, () => {
      expect(catchOperandRejection({ [operator]: { a: 1 } }, 'x')).to.deep.equal(NO_LIST);
      expect(catchOperandRejection({ [operator]: { a: 1 } }, { 0: 1 })).to.deep.equal(NO_LIST);
      expect(catchOperandRejection({ [operator]: { a: 1 } }, null)).to.deep.equal(NO_LIST);
      expect(catchOperandRejection({ [operator]: { a: 1 } }, [])).to.equal(null);
      expect(catchOperandRejection({ [operator]: { a: 1 } })).to.equal(null);
      expect(catchOperandRejection({ [operator]: { 'a.$[].b': 1 } }, 'x')).to.equal(null);
    });

  for (const operator of [
    '$set',
    '$inc',
    '$mul',
    '$min',
    '$max',
    '$push',
    '$addToSet',
    '$pop',
    '$pull',
    '$pullAll',
    '$bit',
    '$currentDate',
  ])
    it(`${operator} inside a value without fields`, () => {
      for (const value of ['x', 1, null, true, new Date(1), ID])
        expect(catchOperandRejection({ [operator]: { 'a.b': 1 } }, value)).to.deep.equal(NO_FIELDS);
      expect(catchOperandRejection({ [operator]: { 'a.b': 1 } }, [{ b: 1 }])).to.deep.equal(NO_FIELDS);
      expect(catchOperandRejection({ [operator]: { 'a.0b': 1 } }, [])).to.deep.equal(NO_FIELDS);
      expect(catchOperandRejection({ [operator]: { 'a.0.b': 1 } }, [])).to.equal(null);
      expect(catchOperandRejection({ [operator]: { 'a.b': 1 } }, {})).to.equal(null);
      expect(catchOperandRejection({ [operator]: { 'a.b': 1 } })).to.equal(null);
      expect(catchOperandRejection({ [operator]: { 'a.$[].b': 1 } }, [{}])).to.equal(null);
    });

  it('$unset finds nothing there, and is not rejected', () => {
    for (const value of ['x', null, [1]])
      expect(catchOperandRejection({ $unset: { 'a.b': '' } }, value)).to.equal(null);
  });

  it('are checked in every document', () => {
    expect(catchRejection(() => validateOperands({ $inc: { a: 1 } }, [{ a: 1 }, { a: 'x' }]))).to.deep.equal(NO_NUMBER);
    expect(catchRejection(() => validateOperands({ $set: { 'a.b': 1 } }, [{ a: {} }, { a: 1 }]))).to.deep.equal(
      NO_FIELDS,
    );
  });
});
