/**
 * Types of document fields after the stages of a pipeline, in other collections and in `array_filters`: conversion of
 * client values.
 */
import { ObjectId } from 'bson';
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import type { Json } from '../../../contract/json.js';
import type { ModelColumn } from '../../../contract/model.js';
import type { Frame } from '../../../contract/plan.js';
import { compilePipeline } from '../../../plugins/queries/mongo/pipeline.js';
import { followArrayFilters } from '../../../plugins/queries/mongo/type-flow.js';
import type { StoredFieldType } from '../../../plugins/queries/mongo/values.js';
import { createModelColumn } from '../../support/model-tables.js';

const HEX = '0123456789abcdef01234567';
const DAY = new Date('2030-01-31T12:00:00Z');
const TYPES: Readonly<Record<string, StoredFieldType>> = {
  n: 'integer',
  f: 'float',
  at: 'timestamp',
  _id: 'id',
  s: 'text',
};
const BAD = 'refused: /v';

type Row = readonly [json: unknown, sent: unknown, expected: unknown];

function compile(json: Json, sent: unknown): unknown {
  const node = compilePipeline(json, {
    leaf: (text) => (text === '$PAYLOAD.v' ? { read: () => sent, field: 'v' } : null),
    typeOf: (path) => TYPES[path] ?? null,
    typesIn: (collection) => (path) => (collection === 'others' && path === 'd' ? 'timestamp' : null),
  });
  try {
    return node.constant ? node.value : node.read({} as Frame);
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'QRY_BAD_VALUE') throw error;
    return `refused: ${error.options.issues?.[0]?.pointer ?? ''}`;
  }
}

describe('types of document fields in a query', () => {
  const rowsBehind = (stages: readonly object[], cases: readonly Row[]): Row[] =>
    cases.map(([path, sent, expected]) => [
      [...stages, { $match: { [String(path)]: '$PAYLOAD.v' } }],
      sent,
      expected === BAD ? BAD : [...stages, { $match: { [String(path)]: { $eq: expected } } }],
    ]);
  const rows: readonly Row[] = [
    ...rowsBehind(
      [{ $project: { n: 1, since: '$at', sum: { $add: ['$n', 1] } } }],
      [
        ['n', '5', 5],
        ['n', 'x', BAD],
        ['since', '2030-01-31T12:00:00Z', DAY],
        ['sum', '5', '5'],
        ['s', 5, 5],
        ['_id', HEX, new ObjectId(HEX)],
      ],
    ),
    ...rowsBehind([{ $project: { s: 0 } }], [['n', 'x', BAD]]),
    ...rowsBehind(
      [{ $group: { _id: '$s', last: { $max: '$at' }, all: { $sum: '$n' } } }],
      [
        ['_id', 5, BAD],
        ['_id', HEX, HEX],
        ['last', '2030-01-31T12:00:00Z', DAY],
        ['all', '5', '5'],
      ],
    ),
    ...rowsBehind([{ $group: { _id: { by: '$s' } } }], [['_id.by', 5, BAD]]),
    ...rowsBehind(
      [{ $addFields: { n: { $toString: '$n' }, x: '$n' } }, { $unwind: { path: '$s', includeArrayIndex: 'f' } }],
      [
        ['n', '5', '5'],
        ['x', '5', 5],
        ['f', '5', '5'],
        ['at', 'never', BAD],
      ],
    ),
    ...rowsBehind([{ $lookup: { from: 'x', as: 'n.inner' } }], [['n', '5', '5']]),
    ...rowsBehind([{ $sortByCount: '$n' }], [['_id', 'x', BAD]]),
    ...rowsBehind([{ $unionWith: 'x' }], [['n', 'x', 'x']]),
    [
      [{ $lookup: { from: 'others', as: 'o', pipeline: [{ $match: { d: '$PAYLOAD.v', n: '$PAYLOAD.v' } }] } }],
      '2030-01-31T12:00:00Z',
      [
        {
          $lookup: {
            from: 'others',
            as: 'o',
            pipeline: [{ $match: { d: { $eq: DAY }, n: { $eq: '2030-01-31T12:00:00Z' } } }],
          },
        },
      ],
    ],
    [[{ $unionWith: { coll: 'others', pipeline: [{ $match: { d: '$PAYLOAD.v' } }] } }], 'x', BAD],
    [[{ $graphLookup: { from: 'others', restrictSearchWithMatch: { d: '$PAYLOAD.v' } } }], 'x', BAD],
  ];
  for (const [json, sent, expected] of rows)
    it(`${JSON.stringify(json)} with ${JSON.stringify(sent)}`, () => {
      expect(compile(json as Json, sent)).to.deep.equal(expected);
    });

  it('are those of their lists for elements that `array_filters` name', () => {
    const list = (items: ModelColumn | null): StoredFieldType => ({ form: 'array', items });
    const types: Readonly<Record<string, StoredFieldType>> = {
      marks: list(createModelColumn('', { type: 'float' })),
      'a.0.b': list(
        createModelColumn('', {
          type: 'json',
          holds: { form: 'object', fields: [createModelColumn('n', { type: 'integer' })] },
        }),
      ),
    };
    const update = {
      $set: { 'marks.$[mark]': 1, 'a.$[].b.$[one].n': 2, 'x.$[two]': 1, 'y.$[two]': 1 },
      $inc: { c: 1 },
    };
    const typeOf = followArrayFilters((path) => types[path] ?? null, update);
    expect(['mark', 'one.n', 'one.other', 'two', 'none'].map(typeOf)).to.deep.equal([
      'float',
      'integer',
      null,
      null,
      null,
    ]);
    expect(followArrayFilters(() => 'text', [{ $set: {} }])('mark')).to.equal(null);
  });
});
