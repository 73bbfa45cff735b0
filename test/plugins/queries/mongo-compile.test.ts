/** Parts of a `mongo_query` compiled for one request: positions and types of client values, and rejections. */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { BootError } from '../../../contract/boot-error.js';
import { Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { Frame } from '../../../contract/plan.js';
import { compileExpression, compileFieldObject } from '../../../plugins/queries/mongo/expression.js';
import { compileFilter } from '../../../plugins/queries/mongo/filter.js';
import { toPlainJson, type QueryCompileContext, type StoredFieldType } from '../../../plugins/queries/mongo/values.js';
import { compilePipeline } from '../../../plugins/queries/mongo/pipeline.js';
import type { Dynamic, Node } from '../../../plugins/queries/mongo/template.js';
import { compileDocument, compileUpdate } from '../../../plugins/queries/mongo/update.js';

const HEX = '0123456789abcdef01234567';
const DAY = new Date('2030-01-31T12:00:00Z');
const TYPES: Readonly<Record<string, StoredFieldType>> = {
  n: 'integer',
  f: 'float',
  on: 'boolean',
  at: 'timestamp',
  _id: 'id',
  s: 'text',
};

/** Placeholders for a value in these tests are `$PAYLOAD.v` and `$1`; `sent` is what the client sends. */
const createDynamic = (sent: unknown): Dynamic => ({ read: () => sent, field: 'v' });
const compiling = (sent: unknown): QueryCompileContext => ({
  leaf: (text) => (text === '$PAYLOAD.v' || text === '$1' ? createDynamic(sent) : null),
  typeOf: (path) => TYPES[path] ?? null,
  typesIn: () => () => null,
});

const readNode = (node: Node): unknown => (node.constant ? node.value : node.read({} as Frame));
const answer = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    if (error instanceof BootError) return 'refused: at the start';
    if (!(error instanceof Fault)) throw error;
    return `refused: ${error.code} ${error.options.issues?.[0]?.pointer ?? ''}`.trimEnd();
  }
};
const BAD = 'refused: QRY_BAD_VALUE /v';
const KEY = 'refused: MQL_KEY /v/$gt';
const START = 'refused: at the start';
const NOTHING = { $in: [] };

type Row = readonly [json: unknown, sent: unknown, expected: unknown];

function rows(title: string, compile: (json: Json, compiling: QueryCompileContext) => Node, all: readonly Row[]): void {
  describe(title, () => {
    for (const [json, sent, expected] of all)
      it(`${JSON.stringify(json)} with ${JSON.stringify(sent) ?? 'undefined'}`, () => {
        expect(answer(() => readNode(compile(json as Json, compiling(sent))))).to.deep.equal(expected);
      });
  });
}

describe('parts of a document query', () => {
  rows('filters', (json, given) => compileFilter(json, given), [
    [{ a: 1 }, 0, { a: { $eq: 1 } }],
    [{ a: '$PAYLOAD.v' }, 'x', { a: { $eq: 'x' } }],
    [{ a: '$1' }, { $gt: '' }, { a: { $eq: { $gt: '' } } }],
    [{ a: '$PAYLOAD.v' }, undefined, { a: NOTHING }],
    [{ a: '$PAYLOAD.v' }, null, { a: NOTHING }],
    [{ a: null }, 0, { a: { $eq: null } }],
    [{ a: { b: '$PAYLOAD.v' } }, undefined, { a: { $eq: { b: null } } }],
    [{ a: { $gte: '$PAYLOAD.v' } }, null, { a: NOTHING }],
    [{ a: { $gt: 1, $lt: '$PAYLOAD.v' } }, 5, { a: { $gt: 1, $lt: 5 } }],
    ...['$eq', '$gt', '$gte', '$lt', '$lte'].map((name): Row => [{ a: { [name]: '$1' } }, null, { a: NOTHING }]),
    [{ a: { $ne: '$PAYLOAD.v' } }, null, { a: { $ne: null } }],
    [{ n: '$PAYLOAD.v' }, '5', { n: { $eq: 5 } }],
    [{ n: '$PAYLOAD.v' }, '5.5', BAD],
    [{ f: '$PAYLOAD.v' }, '-5.5e1', { f: { $eq: -55 } }],
    [{ f: '$PAYLOAD.v' }, '05', BAD],
    [{ f: '$PAYLOAD.v' }, '1e999', BAD],
    [{ n: '$PAYLOAD.v' }, '12345678901234567890', BAD],
    [{ _id: '$PAYLOAD.v' }, `0${HEX}`, { _id: { $eq: `0${HEX}` } }],
    [{ _id: '$PAYLOAD.v' }, `${HEX}0`, { _id: { $eq: `${HEX}0` } }],
    [{ a: { $all: ['x', '$PAYLOAD.v'] } }, 1, { a: { $all: ['x', 1] } }],
    [{ at: '$PAYLOAD.v' }, DAY, { at: { $eq: DAY } }],
    [{ f: '$PAYLOAD.v' }, true, BAD],
    [{ on: '$PAYLOAD.v' }, 'false', { on: { $eq: false } }],
    [{ on: '$PAYLOAD.v' }, 'yes', BAD],
    [{ at: '$PAYLOAD.v' }, '2030-01-31 12:00', { at: { $eq: DAY } }],
    [{ at: '$PAYLOAD.v' }, '2030-01-31', { at: { $eq: new Date('2030-01-31T00:00:00Z') } }],
    [{ at: '$PAYLOAD.v' }, '2030-01-31T12:00:00+02:00', { at: { $eq: new Date('2030-01-31T10:00:00Z') } }],
    [{ at: '$PAYLOAD.v' }, '2028-02-29T00:00:00Z', { at: { $eq: new Date('2028-02-29T00:00:00Z') } }],
    [{ at: '$PAYLOAD.v' }, '2030-02-29T00:00:00Z', BAD],
    [{ at: '$PAYLOAD.v' }, '2030-04-31', BAD],
    [{ at: '$PAYLOAD.v' }, 'tomorrow', BAD],
    [{ at: '$PAYLOAD.v' }, '2030-01-31T12:00-0130', { at: { $eq: new Date('2030-01-31T13:30:00Z') } }],
    [{ at: '$PAYLOAD.v' }, '2030-01-31T12:00:00.25', { at: { $eq: new Date('2030-01-31T12:00:00.250Z') } }],
    [{ at: '$PAYLOAD.v' }, '2030-12-31', { at: { $eq: new Date('2030-12-31T00:00:00Z') } }],
    ...[
      '2030-13-01',
      '2030-00-10',
      '2030-01-00',
      '2030-01-31T24:01',
      '2030-01-31Z',
      '2030-01-31T12',
      'x2030-01-31',
    ].map((text): Row => [{ at: '$PAYLOAD.v' }, text, BAD]),
    [{ at: '$PAYLOAD.v' }, 5, BAD],
    ...[2 ** 53, 1.5, '9007199254740992', ''].map((sent): Row => [{ n: '$PAYLOAD.v' }, sent, BAD]),
    [{ n: '$PAYLOAD.v' }, '-9007199254740991', { n: { $eq: -9007199254740991 } }],
    ...['1.', '.5', '+1', '1e', ' 1', '0x1', NaN].map((sent): Row => [{ f: '$PAYLOAD.v' }, sent, BAD]),
    [{ on: '$PAYLOAD.v' }, true, { on: { $eq: true } }],
    ...['True', 1, ''].map((sent): Row => [{ on: '$PAYLOAD.v' }, sent, BAD]),
    [{ _id: '$PAYLOAD.v' }, HEX, { _id: { $eq: new ObjectId(HEX) } }],
    [{ _id: '$PAYLOAD.v' }, 'x', { _id: { $eq: 'x' } }],
    [{ at: '2030-02-30' }, 0, START],
    [{ a: { $in: '$PAYLOAD.v' } }, [1, null, 2], { a: { $in: [1, 2] } }],
    [{ a: { $in: '$PAYLOAD.v' } }, null, { a: { $in: [] } }],
    [{ a: { $in: '$PAYLOAD.v' } }, 'x', BAD],
    [{ a: { $in: '$PAYLOAD.v' } }, [{ $gt: 1 }], 'refused: MQL_KEY /v/0/$gt'],
    [{ a: { $in: ['$PAYLOAD.v', 5] } }, null, { a: { $in: [5] } }],
    [{ a: { $in: ['$PAYLOAD.v'] } }, { $gt: 1 }, KEY],
    [{ n: { $in: ['$PAYLOAD.v', 6] } }, '5', { n: { $in: [5, 6] } }],
    [{ a: { $nin: '$PAYLOAD.v' } }, [1, null], { a: { $nin: [1, null] } }],
    [{ a: { $in: 'x' } }, 0, START],
    [{ a: { $all: [{ $elemMatch: { b: '$PAYLOAD.v' } }] } }, 1, { a: { $all: [{ $elemMatch: { b: { $eq: 1 } } }] } }],
    [{ a: { $elemMatch: { $gt: '$PAYLOAD.v' } } }, 1, { a: { $elemMatch: { $gt: 1 } } }],
    [{ a: { $elemMatch: { $or: [{ b: '$PAYLOAD.v' }] } } }, 1, { a: { $elemMatch: { $or: [{ b: { $eq: 1 } }] } } }],
    [{ a: { $elemMatch: '$PAYLOAD.v' } }, {}, START],
    [{ a: { $not: { $gt: '$PAYLOAD.v' } } }, 1, { a: { $not: { $gt: 1 } } }],
    [{ a: { $not: '$PAYLOAD.v' } }, {}, START],
    [{ a: { $regex: '^$PAYLOAD.v' } }, 'a.*b (c)', { a: { $regex: String.raw`^a\.\*b\ \(c\)` } }],
    [{ a: { $regex: '$1' } }, String.raw`\^$+?[]{}|-#`, { a: { $regex: String.raw`\\\^\$\+\?\[\]\{\}\|\-\#` } }],
    [{ a: { $regex: '$1' } }, 5, BAD],
    [{ a: { $regex: '$1' } }, 'a\0', BAD],
    [{ a: { $regex: 'x$' } }, 0, { a: { $regex: 'x$' } }],
    [{ a: { $regex: 5 } }, 0, START],
    [{ a: { $regex: 'x', $options: '$PAYLOAD.v' } }, 'i', START],
    [{ a: { $exists: '$PAYLOAD.v' } }, 'true', { a: { $exists: true } }],
    [{ a: { $exists: '$PAYLOAD.v' } }, null, { a: { $exists: false } }],
    [{ a: { $size: '$PAYLOAD.v' } }, '2', { a: { $size: 2 } }],
    [{ a: { $size: '$PAYLOAD.v' } }, null, BAD],
    [{ a: { $mod: ['$PAYLOAD.v', 1] } }, 4, { a: { $mod: [4, 1] } }],
    [{ a: { $type: '$PAYLOAD.v' } }, 'int', START],
    [{ $or: [{ a: '$PAYLOAD.v' }, { b: 1 }] }, 1, { $or: [{ a: { $eq: 1 } }, { b: { $eq: 1 } }] }],
    [{ $or: '$PAYLOAD.v' }, [], START],
    [{ $text: { $search: '$PAYLOAD.v' } }, 'x', { $text: { $search: 'x' } }],
    [{ $text: { $search: '$PAYLOAD.v' } }, { a: 1 }, BAD],
    [{ $text: { $search: 'x', $language: '$PAYLOAD.v' } }, 'en', START],
    [{ $expr: { $gt: ['$title', '$PAYLOAD.v'] } }, '$x', { $expr: { $gt: ['$title', { $literal: '$x' }] } }],
    [{ $expr: { $gt: ['$n', '$PAYLOAD.v'] } }, '$x', 'refused: QRY_BAD_VALUE /v'],
    [{ $where: 'x' }, 0, START],
    [{ a: { $near: [1] } }, 0, START],
    [{ a: { $foo: 1 } }, 0, START],
    ['$PAYLOAD.v', {}, START],
  ]);

  rows('expressions', (json, given) => compileExpression(json, given), [
    ['$name', 0, '$name'],
    [['$PAYLOAD.v', 1], '$x', [{ $literal: '$x' }, 1]],
    [{ $concat: ['$a', '$PAYLOAD.v'] }, 'x', { $concat: ['$a', { $literal: 'x' }] }],
    [{ $gte: ['$at', '$PAYLOAD.v'] }, '2030-01-31T12:00:00Z', { $gte: ['$at', { $literal: DAY }] }],
    [{ $gte: ['$at', '2030-01-31T12:00:00Z'] }, 0, { $gte: ['$at', DAY] }],
    [{ $add: ['$at', '2030-01-31T12:00:00Z'] }, 0, { $add: ['$at', '2030-01-31T12:00:00Z'] }],
    [{ $in: ['$_id', '$PAYLOAD.v'] }, [HEX], { $in: ['$_id', { $literal: [new ObjectId(HEX)] }] }],
    ...['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$cmp'].map((name): Row => [
      { [name]: ['$PAYLOAD.v', '$_id'] },
      HEX,
      { [name]: [{ $literal: new ObjectId(HEX) }, '$_id'] },
    ]),
    [{ $literal: '$PAYLOAD.v' }, '$x', { $literal: '$x' }],
    [{ a: '$PAYLOAD.v' }, { $gt: 1 }, KEY],
    ...['$regexMatch', '$regexFind', '$regexFindAll'].map((name): Row => [
      { [name]: { input: '$PAYLOAD.v', regex: '^$PAYLOAD.v' } },
      'a.b',
      { [name]: { input: { $literal: 'a.b' }, regex: { $literal: String.raw`^a\.b` } } },
    ]),
    [
      { $regexMatch: { input: '$a', regex: { $literal: '$PAYLOAD.v' } } },
      '.',
      { $regexMatch: { input: '$a', regex: { $literal: String.raw`\.` } } },
    ],
    [{ $regexMatch: { input: '$a', regex: '$b' } }, 0, START],
    [{ $regexMatch: { input: '$a', regex: '$' } }, 0, { $regexMatch: { input: '$a', regex: '$' } }],
    [{ $regexMatch: { input: '$a', regex: 'b', options: '$PAYLOAD.v' } }, 'i', START],
    [{ $regexMatch: '$PAYLOAD.v' }, {}, START],
    [{ $getField: '$PAYLOAD.v' }, 'a', START],
    [{ $getField: 'a' }, 0, { $getField: 'a' }],
    ...['$getField', '$setField', '$unsetField'].flatMap((name): Row[] => [
      [{ [name]: { field: '$PAYLOAD.v', input: '$a' } }, 'a', START],
      [{ [name]: { field: 'x', input: '$PAYLOAD.v' } }, 1, { [name]: { field: 'x', input: { $literal: 1 } } }],
    ]),
    [{ $getField: { $literal: '$PAYLOAD.v' } }, 'a', START],
    [{ $function: {} }, 0, START],
    [{ $nothing: 1 }, 0, START],
  ]);

  const add = (json: Json, given: QueryCompileContext): Node =>
    compileUpdate(json, given, { $set: [], $setOnInsert: [] }, () => undefined);
  rows('updates', add, [
    [{ $set: { n: '$PAYLOAD.v' } }, '5', { $set: { n: 5 } }],
    [{ $set: { n: '5' } }, 0, { $set: { n: 5 } }],
    [{ $set: { n: 'x' } }, 0, START],
    [{ $set: { a: '$PAYLOAD.v' } }, { b: { 'c.d': 1 } }, 'refused: MQL_KEY /v/b/c.d'],
    [{ $set: { a: '$PAYLOAD.v' } }, [{ 'x\0': 1 }], 'refused: MQL_KEY /v/0/x\0'],
    [{ $set: { a: '$PAYLOAD.v' } }, JSON.parse('{"__proto__": 1}'), 'refused: MQL_KEY /v/__proto__'],
    [{ $set: { a: '$PAYLOAD.v' } }, undefined, { $set: { a: null } }],
    [{ $set: { a: { b: '$PAYLOAD.v' } } }, { $gt: 1 }, KEY],
    [{ $set: { $a: 1 } }, 0, START],
    [{ a: 1 }, 0, START],
    [{ $inc: { n: '$PAYLOAD.v' } }, '2', { $inc: { n: 2 } }],
    [{ $inc: { n: '$PAYLOAD.v' } }, 'x', BAD],
    [{ $pullAll: { a: '$PAYLOAD.v' } }, [1, null], { $pullAll: { a: [1, null] } }],
    [{ $push: { a: '$PAYLOAD.v' } }, { $each: [1] }, 'refused: MQL_KEY /v/$each'],
    [{ $push: { a: { $each: ['$PAYLOAD.v'], $slice: '$1' } } }, 3, { $push: { a: { $each: [3], $slice: 3 } } }],
    [{ $push: { a: { $each: '$PAYLOAD.v' } } }, [{ $gt: 1 }], 'refused: MQL_KEY /v/0/$gt'],
    [{ $push: { a: { $each: [{ b: '$PAYLOAD.v' }] } } }, 1, { $push: { a: { $each: [{ b: 1 }] } } }],
    [{ $push: { a: { $each: [], $sort: '$PAYLOAD.v' } } }, 1, START],
    [{ $push: { a: { $foo: 1 } } }, 0, START],
    [{ $pull: { a: '$PAYLOAD.v' } }, 1, { $pull: { a: { $eq: 1 } } }],
    [{ $pull: { a: '$PAYLOAD.v' } }, { $gt: 1 }, KEY],
    [{ $pull: { a: 5 } }, 0, { $pull: { a: 5 } }],
    [{ $pull: { a: { $gte: '$PAYLOAD.v' } } }, 1, { $pull: { a: { $gte: 1 } } }],
    [{ $pull: { a: { b: '$PAYLOAD.v' } } }, 1, { $pull: { a: { b: { $eq: 1 } } } }],
    [{ $bit: { a: { and: '$PAYLOAD.v' } } }, '3', { $bit: { a: { and: 3 } } }],
    [{ $bit: { a: { nand: 1 } } }, 0, START],
    [{ $unset: { a: '$PAYLOAD.v' } }, '', START],
    [{ $unset: { a: '' } }, 0, { $unset: { a: '' } }],
    ...['$set', '$setOnInsert', '$min', '$max', '$push', '$addToSet'].map((name): Row => [
      { [name]: { a: '$PAYLOAD.v' } },
      'x',
      { [name]: { a: 'x' } },
    ]),
    ...['$unset', '$rename', '$currentDate', '$pop'].flatMap((name): Row[] => [
      [{ [name]: { a: '$PAYLOAD.v' } }, 'x', START],
      [{ [name]: { a: 1 } }, 0, { [name]: { a: 1 } }],
    ]),
    [{ $mul: { n: '$PAYLOAD.v' } }, '1.5', { $mul: { n: 1.5 } }],
    [{ $mul: { n: '$PAYLOAD.v' } }, null, BAD],
    [{ $set: { n: '$PAYLOAD.v', on: '$PAYLOAD.v' } }, undefined, { $set: { n: null, on: null } }],
    [[{ $set: { a: '$PAYLOAD.v' } }], '$x', [{ $set: { a: { $literal: '$x' } } }]],
    [[{ $match: {} }], 0, START],
    [[{ $replaceWith: '$PAYLOAD.v' }], {}, START],
    [[{ $replaceRoot: { newRoot: '$PAYLOAD.v' } }], {}, START],
    [[{ $replaceWith: { $mergeObjects: ['$$ROOT', '$PAYLOAD.v'] } }], {}, START],
    [
      [{ $replaceWith: { $mergeObjects: ['$$ROOT', { a: '$PAYLOAD.v' }] } }],
      1,
      [{ $replaceWith: { $mergeObjects: ['$$ROOT', { a: { $literal: 1 } }] } }],
    ],
    [
      [{ $replaceWith: { $cond: [{ $eq: ['$a', '$PAYLOAD.v'] }, '$x', '$y'] } }],
      1,
      [{ $replaceWith: { $cond: [{ $eq: ['$a', { $literal: 1 }] }, '$x', '$y'] } }],
    ],
    [[{ $replaceWith: { $cond: { if: '$PAYLOAD.v', then: '$x', else: '$PAYLOAD.v' } } }], {}, START],
    [[{ $replaceWith: { $let: { vars: { d: '$PAYLOAD.v' }, in: '$$d' } } }], {}, START],
    ['$PAYLOAD.v', {}, START],
  ]);

  it('updates get the timestamps that they do not write themselves', () => {
    const now: Node = { constant: true, value: 'now' };
    const compileUpdateParts = (json: Json): unknown =>
      readNode(compileUpdate(json, compiling(1), { $set: [['u', now]], $setOnInsert: [['c', now]] }, () => undefined));
    expect(compileUpdateParts({ $set: { a: 1 } })).to.deep.equal({
      $set: { a: 1, u: 'now' },
      $setOnInsert: { c: 'now' },
    });
    expect(compileUpdateParts({ $inc: { u: 1 } })).to.deep.equal({ $inc: { u: 1 }, $setOnInsert: { c: 'now' } });
    expect(compileUpdateParts([{ $set: { a: 1 } }])).to.deep.equal([{ $set: { a: 1 } }, { $set: { u: 'now' } }]);
    expect(compileUpdateParts([{ $set: { u: 1 } }])).to.deep.equal([{ $set: { u: 1 } }]);
  });

  rows('pipelines', (json, given) => compilePipeline(json, given), [
    [[{ $match: { n: '$PAYLOAD.v' } }], '5', [{ $match: { n: { $eq: 5 } } }]],
    [[{ $limit: 1 }, { $match: { n: '$PAYLOAD.v' } }], '5', [{ $limit: 1 }, { $match: { n: { $eq: 5 } } }]],
    [[{ $limit: '$PAYLOAD.v' }], '1', [{ $limit: 1 }]],
    [[{ $limit: '$PAYLOAD.v' }], 0, 'refused: QRY_BAD_VALUE'],
    [[{ $limit: '$PAYLOAD.v' }], 1.5, 'refused: QRY_BAD_VALUE'],
    [[{ $skip: '$PAYLOAD.v' }], 0, [{ $skip: 0 }]],
    [[{ $skip: '$PAYLOAD.v' }], -1, 'refused: QRY_BAD_VALUE'],
    [[{ $sample: { size: '$PAYLOAD.v' } }], 0, 'refused: QRY_BAD_VALUE'],
    [
      [{ $bucket: { groupBy: '$a', boundaries: '$PAYLOAD.v', default: '$1' } }],
      [1, 2],
      [{ $bucket: { groupBy: '$a', boundaries: [1, 2], default: [1, 2] } }],
    ],
    [[{ $graphLookup: { from: 'x', maxDepth: '$PAYLOAD.v' } }], 0, [{ $graphLookup: { from: 'x', maxDepth: 0 } }]],
    [[{ $lookup: { from: '$PAYLOAD.v' } }], 'x', START],
    [
      [{ $lookup: { from: 'x', pipeline: [{ $match: { n: '$PAYLOAD.v' } }] } }],
      '5',
      [{ $lookup: { from: 'x', pipeline: [{ $match: { n: { $eq: '5' } } }] } }],
    ],
    [[{ $lookup: { nothing: 1 } }], 0, START],
    [[{ $lookup: 'x' }], 0, START],
    [[{ $replaceWith: '$PAYLOAD.v' }], { a: 1 }, [{ $replaceWith: { $literal: { a: 1 } } }]],
    [[{ $replaceRoot: { newRoot: '$PAYLOAD.v' } }], { a: 1 }, [{ $replaceRoot: { newRoot: { $literal: { a: 1 } } } }]],
    [[{ $unionWith: 'x' }], 0, [{ $unionWith: 'x' }]],
    [[{ $unionWith: '$PAYLOAD.v' }], 'x', START],
    [
      [{ $unionWith: { coll: 'x', pipeline: [{ $match: { n: '$PAYLOAD.v' } }] } }],
      '5',
      [{ $unionWith: { coll: 'x', pipeline: [{ $match: { n: { $eq: '5' } } }] } }],
    ],
    [[{ $unionWith: ['x'] }], 0, START],
    [[{ $facet: { a: [{ $limit: '$PAYLOAD.v' }] } }], 2, [{ $facet: { a: [{ $limit: 2 }] } }]],
    [
      [{ $group: { _id: '$a', n: { $sum: '$PAYLOAD.v' } } }],
      2,
      [{ $group: { _id: '$a', n: { $sum: { $literal: 2 } } } }],
    ],
    [[{ $group: '$PAYLOAD.v' }], {}, START],
    [[{ $sort: { a: '$PAYLOAD.v' } }], 1, START],
    [[{ $out: 'x' }], 0, START],
    [[{ $limit: 1, $skip: 1 }], 0, START],
    [[{}], 0, START],
    [['x'], 0, START],
    ['$PAYLOAD.v', [], START],
  ]);

  it('documents have names of fields, and values in the types of their fields', () => {
    const compileDocumentParts = (json: Json, sent: unknown): unknown =>
      answer(() => compileDocument(json, compiling(sent)).map(([name, node]) => [name, readNode(node)]));
    expect(compileDocumentParts({ n: '$PAYLOAD.v', a: 'x' }, '5')).to.deep.equal([
      ['n', 5],
      ['a', 'x'],
    ]);
    expect(compileDocumentParts({ a: '$PAYLOAD.v' }, { $gt: 1 })).to.equal(KEY);
    for (const name of ['$a', 'a.b']) expect(compileDocumentParts({ [name]: 1 }, 0)).to.equal(START);
    expect(answer(() => readNode(compileFieldObject('$PAYLOAD.v', compiling({}), 'x')))).to.equal(START);
  });

  it('documents are returned as JSON', () => {
    const odd = Object.defineProperty({}, '__proto__', { value: 1, enumerable: true });
    expect(
      toPlainJson({
        a: DAY,
        b: new ObjectId(HEX),
        c: [undefined, new Date(NaN)],
        d: undefined,
        e: { toJSON: () => DAY },
      }),
    ).to.deep.equal({
      ...{ a: DAY.toISOString(), b: HEX, c: [null, null], e: DAY.toISOString() },
    });
    expect(toPlainJson(undefined)).to.equal(null);
    expect(JSON.stringify(toPlainJson(odd))).to.equal('{"__proto__":1}');
  });
});
