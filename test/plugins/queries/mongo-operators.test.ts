/** Operators of document queries, each where it is allowed, and the messages of the check. */
import { expect } from 'chai';
import type { Json } from '../../../contract/json.js';
import type { Frame } from '../../../contract/plan.js';
import type { QueryCompileContext } from '../../../plugins/queries/mongo/values.js';
import { compilePipeline } from '../../../plugins/queries/mongo/pipeline.js';
import { collectDocumentFindings, formatFindings } from '../../support/mongo-findings.js';

/** Messages of the findings about a part of a query, with their codes. */
const words = (part: string, json: Json): unknown[] =>
  collectDocumentFindings({ collection: '_user', action: 'X', [part]: json }).map(({ code, params }) => [code, params]);
const FOREIGN = /^DOC_(OPERATOR|REFUSED|PLACE)/;

const dynamic: QueryCompileContext = {
  leaf: (text) => (text === '$1' ? { read: () => 'sent', field: 'v' } : null),
  typeOf: () => null,
  typesIn: () => () => null,
};
const evaluatePipeline = (stages: Json): unknown => {
  const node = compilePipeline(stages, dynamic);
  return node.constant ? node.value : node.read({} as Frame);
};

describe('rejected MongoDB operators', () => {
  const CODE = 'it runs code in the database, which is more than any query needs';
  const WRITES = 'it writes to a collection, which an AGGREGATE must not';
  const INSIDE = 'it describes the database, not documents';
  const PLACE = 'queries of positions on the globe are not part of the language';
  for (const [why, names] of [
    [CODE, '$where $function $accumulator $eval $mapReduce'],
    [WRITES, '$out $merge'],
    [INSIDE, '$changeStream $changeStreamSplitLargeEvent $collStats $currentOp $indexStats $listLocalSessions'],
    [INSIDE, '$listSampledQueries $listSearchIndexes $listSessions $planCacheStats $querySettings $queryStats'],
    [INSIDE, '$shardedDataDistribution $toHashedIndexKey'],
    ['it reads no collection', '$documents'],
    [PLACE, '$geoIntersects $geoNear $geoWithin $near $nearSphere'],
    ['it needs a service in addition to the database', '$search $searchMeta $vectorSearch'],
  ] as const)
    it(`because ${why}: ${names}`, () => {
      for (const name of names.split(' ')) {
        const rejection = [['DOC_REFUSED', { name, why }]];
        expect(words('pipeline', [{ [name]: {} }]), name).to.deep.equal(rejection);
        expect(words('filter_predicate', { age: { [name]: 1 } }), name).to.deep.equal(rejection);
        expect(() => compilePipeline([{ [name]: {} }], dynamic))
          .to.throw()
          .with.nested.property('params.what', `"${name}" is refused: ${why}`);
      }
    });
});

describe('known MongoDB operators', () => {
  const EXPRESSIONS =
    'abs add ceil divide exp floor ln log log10 mod multiply pow round sqrt subtract trunc sin cos tan asin acos atan ' +
    'atan2 sinh cosh tanh asinh acosh atanh degreesToRadians radiansToDegrees bitAnd bitNot bitOr bitXor arrayElemAt ' +
    'arrayToObject concatArrays filter first firstN in indexOfArray isArray last lastN map maxN minN objectToArray range ' +
    'reduce reverseArray size slice sortArray zip and or not cmp eq ne gt gte lt lte cond ifNull switch dateAdd dateDiff ' +
    'dateFromParts dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek dayOfYear hour ' +
    'isoDayOfWeek isoWeek isoWeekYear millisecond minute month second week year mergeObjects allElementsTrue ' +
    'anyElementTrue setDifference setEquals setIntersection setIsSubset setUnion concat indexOfBytes indexOfCP ltrim ' +
    'replaceOne replaceAll rtrim split strLenBytes strLenCP strcasecmp substr substrBytes substrCP toLower toUpper trim ' +
    'convert isNumber toBool toDate toDecimal toDouble toInt toLong toObjectId toString type let rand sampleRate meta ' +
    'addToSet avg bottom bottomN count max min push stdDevPop stdDevSamp sum top topN median percentile denseRank rank ' +
    'documentNumber derivative expMovingAvg integral linearFill locf shift covariancePop covarianceSamp';

  it('are valid in expressions, with values of a request as literals', () => {
    for (const name of EXPRESSIONS.split(' ')) {
      const stages = [{ $project: { v: { [`$${name}`]: ['$1'] } } }];
      expect(
        formatFindings('pipeline', stages).filter((one) => FOREIGN.test(one)),
        name,
      ).to.deep.equal([]);
      expect(evaluatePipeline(stages), name).to.deep.equal([
        { $project: { v: { [`$${name}`]: [{ $literal: 'sent' }] } } },
      ]);
    }
    for (const name of ['getField', 'setField', 'unsetField', 'regexFind', 'regexFindAll', 'regexMatch', 'literal'])
      expect(
        formatFindings('pipeline', [{ $project: { v: { [`$${name}`]: {} } } }]).filter((one) => FOREIGN.test(one)),
      ).to.deep.equal([]);
  });

  it('are valid as stages, whose members accept values where MongoDB does', () => {
    const literal = { $literal: 'sent' };
    for (const [stage, json, expected] of [
      ['$match', { a: '$1' }, { a: { $eq: 'sent' } }],
      ['$project', { a: '$1' }, { a: literal }],
      ['$addFields', { a: '$1' }, { a: literal }],
      ['$set', { a: '$1' }, { a: literal }],
      ['$group', { _id: '$1' }, { _id: literal }],
      ['$unset', ['a'], ['a']],
      ['$sort', { a: 1 }, { a: 1 }],
      ['$count', 'n', 'n'],
      ['$unwind', '$a', '$a'],
      ['$sortByCount', '$1', literal],
      ['$redact', '$1', literal],
      ['$densify', { field: 'a' }, { field: 'a' }],
      ['$bucketAuto', { groupBy: '$1', buckets: 2, output: { a: '$1' }, granularity: 'R5' }, null],
      ['$bucket', { groupBy: '$1', boundaries: ['$1'], default: '$1', output: { a: '$1' } }, null],
      ['$lookup', { from: 'c', localField: 'a', foreignField: 'b', as: 'd', let: { x: '$1' }, pipeline: [] }, null],
      [
        '$graphLookup',
        {
          from: 'c',
          startWith: '$1',
          connectFromField: 'a',
          connectToField: 'b',
          as: 'd',
          maxDepth: 1,
          depthField: 'e',
          restrictSearchWithMatch: { a: 1 },
        },
        null,
      ],
      ['$unionWith', { coll: 'c', pipeline: [{ $match: { a: '$1' } }] }, null],
      ['$setWindowFields', { partitionBy: '$1', sortBy: { a: 1 }, output: { a: '$1' } }, null],
      ['$fill', { partitionBy: '$1', partitionByFields: ['a'], sortBy: { a: 1 }, output: { a: { value: 1 } } }, null],
    ] as const) {
      const stages = [{ [stage]: json }] as unknown as Json;
      expect(
        formatFindings('pipeline', stages).filter((one) => FOREIGN.test(one)),
        stage,
      ).to.deep.equal([]);
      const [made] = evaluatePipeline(stages) as Record<string, unknown>[];
      if (expected !== null) expect(made, stage).to.deep.equal({ [stage]: expected });
      else expect(Object.keys(made?.[stage] as object), stage).to.deep.equal(Object.keys(json));
    }
    for (const [stage, member] of [
      ['$lookup', 'from'],
      ['$lookup', 'localField'],
      ['$lookup', 'foreignField'],
      ['$lookup', 'as'],
      ['$graphLookup', 'from'],
      ['$graphLookup', 'connectFromField'],
      ['$graphLookup', 'connectToField'],
      ['$graphLookup', 'as'],
      ['$graphLookup', 'depthField'],
      ['$unionWith', 'coll'],
      ['$bucketAuto', 'granularity'],
      ['$setWindowFields', 'sortBy'],
      ['$fill', 'partitionByFields'],
      ['$fill', 'sortBy'],
      ['$fill', 'output'],
    ] as const) {
      const found = words('pipeline', [{ [stage]: { [member]: '$PAYLOAD.x' } }]).map((one) => (one as unknown[])[0]);
      expect(found, `${stage} ${member}`).to.include('DOC_CONSTANT');
      expect(() => compilePipeline([{ [stage]: { [member]: '$1' } }], dynamic), `${stage} ${member}`).to.throw();
    }
  });
});

describe('messages of the check of document queries', () => {
  for (const [name, hint] of [
    ['$like', 'Text is searched by {"$regex": "^$PAYLOAD.q", "$options": "i"}.'],
    ['$ilike', 'Text is searched by {"$regex": "^$PAYLOAD.q", "$options": "i"}.'],
    ['$startsWith', 'Write {"$regex": "^$PAYLOAD.q"}.'],
    ['$contains', 'A list that has a value is found by the value alone: {"tags": "$PAYLOAD.tag"}.'],
    ['$includes', 'A list that has a value is found by the value alone: {"tags": "$PAYLOAD.tag"}.'],
    ['$between', 'Write {"$gte": ..., "$lte": ...}.'],
    ['$is', 'Write {"$eq": ...}, or the value alone.'],
    ['$equals', 'Write {"$eq": ...}, or the value alone.'],
    ['$greater', 'Write "$gt".'],
    ['$less', 'Write "$lt".'],
    ['$notIn', 'Write "$nin".'],
    ['$isNull', 'Write {"field": null}.'],
    ['$oid', 'An id is written as the text alone: {"_id": "$PAYLOAD.id"}.'],
    ['$date', 'A time is written as the text alone: "2030-01-31T12:00:00Z", or "$DATETIME".'],
    ['$numberLong', 'A number is written as it is.'],
    ['$increment', 'Write "$inc".'],
    ['$decrement', 'Write {"$inc": {"field": -1}}.'],
    ['$append', 'Write "$push".'],
    ['$remove', 'A field is taken away by "$unset", an element of a list by "$pull".'],
    ['$delete', 'A field is taken away by "$unset".'],
    ['$toggle', 'Write the update as a list of stages: [{"$set": {"done": {"$not": "$done"}}}].'],
    ['$zzzzzz', ''],
  ] as const)
    it(`for ${name} state what to write instead`, () => {
      const params = { name, where: 'behind a field', hint: hint === '' ? '' : ` ${hint}` };
      expect(words('filter_predicate', { age: { [name]: 1 } })).to.deep.equal([['DOC_OPERATOR', params]]);
    });

  it('name a similar operator', () => {
    expect(words('filter_predicate', { age: { $gtee: 1 } })).to.deep.equal([
      ['DOC_OPERATOR', { name: '$gtee', where: 'behind a field', hint: ' Did you mean "$gte"?' }],
    ]);
  });

  for (const [part, json, params] of [
    [
      'filter_predicate',
      { $gt: 1 },
      ['$gt', 'in a query next to fields', 'it stands behind the name of a field: {"name": {"$gt": ...}}'],
    ],
    [
      'filter_predicate',
      { age: { $or: [] } },
      ['$or', 'behind a field', 'it stands in a query next to names of fields'],
    ],
    ['filter_predicate', { age: { $set: 1 } }, ['$set', 'behind a field', 'it belongs into `update_predicate`']],
    [
      'filter_predicate',
      { age: { $match: 1 } },
      ['$match', 'behind a field', 'it is a stage of the `pipeline` of an AGGREGATE'],
    ],
    [
      'filter_predicate',
      { age: { $concat: 1 } },
      ['$concat', 'behind a field', 'it stands in expressions, such as those behind "$expr"'],
    ],
    [
      'filter_predicate',
      { age: { $gt: 1, other: 2 } },
      ['other', 'next to operators', 'a field of it is named by its path, such as "address.city"'],
    ],
    [
      'filter_predicate',
      { home: { city: { $gt: 1 } } },
      ['$gt', 'inside an object that is a value', 'write the path as one name: {"home.city": {"$gt": ...}}'],
    ],
    [
      'update_predicate',
      { $set: { home: { city: { $add: 1 } } } },
      [
        '$add',
        'inside an object that is a value',
        'expressions stand in an update that is a list: [{"$set": {"home.city": {"$add": ...}}}]',
      ],
    ],
  ] as const)
    it(`state where an operator of ${JSON.stringify(json)} belongs`, () => {
      const [name, where, right] = params;
      expect(words(part, json)).to.deep.equal([['DOC_PLACE', { name, where, right }]]);
    });

  for (const [json, where, right, actual] of [
    [{ $or: {} }, 'behind "$or"', 'a list of queries', 'an object'],
    [{ $or: 'x' }, 'behind "$or"', 'a list of queries', 'a text'],
    [{ $text: [] }, 'behind "$text"', 'an object: {"$search": "words"}', 'a list'],
    [{ $text: { $search: 5 } }, 'behind "$search"', 'a text', 'a number'],
    [{ age: { $not: null } }, 'behind "$not"', 'operators: {"$gt": 1}', 'null'],
    [{ age: { $mod: true } }, 'behind "$mod"', 'a list of numbers', 'true or false'],
    [{ age: { $in: 5 } }, 'behind "$in"', 'a list of values', 'a number'],
    [{ tags: { $size: 'x' } }, 'behind "$size"', 'a number', 'a text'],
    [{ age: { $exists: 'x' } }, 'behind "$exists"', 'true or false', 'a text'],
    [{ tags: { $elemMatch: 5 } }, 'behind "$elemMatch"', 'a query, or operators', 'a number'],
    ['x', 'here', 'an object of names of fields', 'a text'],
  ] as const)
    it(`for ${JSON.stringify(json)} state that ${right} belongs ${where}`, () => {
      expect(words('filter_predicate', json)).to.deep.equal([['DOC_OPERAND', { where, right, actual }]]);
    });

  it('for a value state that a query belongs there', () => {
    expect(words('filter_predicate', { $or: '$PAYLOAD.x' })).to.deep.equal([
      ['DOC_QUERY', { text: '$PAYLOAD.x', where: 'behind "$or"', right: 'a list of queries' }],
    ]);
    expect(words('filter_predicate', { age: { $type: '$PAYLOAD.x' } })).to.deep.equal([
      ['DOC_CONSTANT', { text: '$PAYLOAD.x', where: 'behind "$type"' }],
    ]);
  });

  for (const [field, json, type, actual, right] of [
    ['name', 5, 'S', '5', 'a text'],
    ['name', false, 'S', 'false', 'a text'],
    ['name', [1], 'S', 'a list', 'a text'],
    ['age', 1.5, 'I', '1.5', 'a whole number'],
    ['age', 'x y', 'I', 'this text', 'a whole number'],
    ['rate', true, 'F', 'true', 'a number'],
    ['on', 0, 'B', '0', 'true or false'],
    ['at', 5, 'T', '5', 'a time as ISO 8601 writes it, such as "2030-01-31T12:00:00Z"'],
    ['at', '2030-13-01', 'T', 'this text', 'a time as ISO 8601 writes it, such as "2030-01-31T12:00:00Z"'],
  ] as const)
    it(`for ${JSON.stringify(json)} state that ${field} is ${right}`, () => {
      expect(words('filter_predicate', { [field]: json as unknown as Json })).to.deep.equal([
        ['DOC_TYPE', { type, actual, right }],
      ]);
    });

  it('are absent for a value that fits a field, also in lists', () => {
    for (const value of ['2030-01-31', '2030-01-31 12:00', '2030-01-31T12:00:05.5+02:00', '2030-01-31T12:00Z'])
      expect(words('filter_predicate', { at: value }), value).to.deep.equal([]);
    for (const value of ['x2030-01-31', '2030-01-31T12', '2030-01-31T12:00:00Zx'])
      expect(words('filter_predicate', { at: value }), value).to.have.length(1);
    expect(words('filter_predicate', { tags: { $eq: [{ a: { $gt: 1 } }] } })).to.have.length(1);
  });
});
