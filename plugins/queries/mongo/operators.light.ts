/**
 * Operators of filters, updates and pipelines: where each may stand, and what its operand is. The checker judges definitions by
 * these tables, the compiler decides by the same ones in which form a value of a client is put in. Data only.
 */

/**
 * What stands behind an operator. Where nothing else is said, values (accessors, `"$1"`) may stand in it.
 *
 * - `value`: one value, of the type of the field it is compared with or written to.
 * - `values`: a list of them, or one value that is a list.
 * - `number`, `text`, `flag`: one value of that type.
 * - `numbers`: a list of numbers.
 * - `query`: an object of fields and operators; `queries`: a list of them. Never a value.
 * - `condition`: operators of one field (`{"$gt": 1}`), never a value.
 * - `element`: a query of objects, or a condition of plain elements; never a value.
 * - `matching`: a value, or a condition or query, as behind `$pull`.
 * - `pushed`: a value, or an object of `PUSH_MODIFIERS`.
 * - `search`: the object of `$text`: `SEARCH_FIELDS`.
 * - `expression`: an expression, a list of them, or an object of them (`{"input": ..., "in": ...}`); `"$name"` in it is a path.
 * - `fields`: an object of a name and an expression each.
 * - `literal`: a value that is never a path (`$literal`).
 * - `stages`: a pipeline. `facets`: an object of a name and a pipeline each.
 * - `object`: an object whose members `STAGE_MEMBERS` tells.
 * - `constant`: what the definition says as it stands; no values in it.
 */
export type Operand =
  | 'value'
  | 'values'
  | 'number'
  | 'numbers'
  | 'text'
  | 'flag'
  | 'query'
  | 'queries'
  | 'condition'
  | 'element'
  | 'matching'
  | 'pushed'
  | 'search'
  | 'expression'
  | 'fields'
  | 'literal'
  | 'stages'
  | 'facets'
  | 'object'
  | 'constant';

export type Operators = Readonly<Record<string, Operand>>;

const table = (entries: Operators): Operators =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, Operand>, entries));

const all = (operand: Operand, names: string): Operators =>
  Object.fromEntries(names.split(/\s+/).map((name) => [`$${name}`, operand]));

/** In a query, beside fields: `{"$or": [...]}`. */
export const QUERY_OPERATORS = table({
  $and: 'queries',
  $or: 'queries',
  $nor: 'queries',
  $expr: 'expression',
  $text: 'search',
  $jsonSchema: 'constant',
  $comment: 'constant',
});

/** Behind a field of a query: `{"age": {"$gte": 18}}`. */
export const FIELD_OPERATORS = table({
  ...all('value', 'eq ne gt gte lt lte'),
  ...all('values', 'in nin all'),
  $not: 'condition',
  $elemMatch: 'element',
  $exists: 'flag',
  $type: 'constant',
  $size: 'number',
  $mod: 'numbers',
  $regex: 'text',
  $options: 'constant',
  ...all('number', 'bitsAllClear bitsAllSet bitsAnyClear bitsAnySet'),
});

/** The object behind `$text`. */
export const SEARCH_FIELDS = table({
  $search: 'text',
  $language: 'constant',
  $caseSensitive: 'constant',
  $diacriticSensitive: 'constant',
});

/** In an update: the operator stands outside, what is told here stands behind each of its fields. */
export const UPDATE_OPERATORS = table({
  $set: 'value',
  $setOnInsert: 'value',
  $unset: 'constant',
  $inc: 'number',
  $mul: 'number',
  $min: 'value',
  $max: 'value',
  $rename: 'constant',
  $currentDate: 'constant',
  $push: 'pushed',
  $addToSet: 'pushed',
  $pop: 'constant',
  $pull: 'matching',
  $pullAll: 'values',
  $bit: 'object',
});

/** Beside one another behind a field of `$push`; of `$addToSet` only `$each`. */
export const PUSH_MODIFIERS = table({
  $each: 'values',
  $slice: 'number',
  $position: 'number',
  $sort: 'constant',
});

/** The object behind a field of `$bit`. */
export const BIT_FIELDS = table({ and: 'number', or: 'number', xor: 'number' });

/** Stages of an `AGGREGATE`. */
export const STAGES = table({
  $match: 'query',
  $project: 'fields',
  $addFields: 'fields',
  $set: 'fields',
  $group: 'fields',
  $unset: 'constant',
  $sort: 'constant',
  $limit: 'number',
  $skip: 'number',
  $count: 'constant',
  $unwind: 'constant',
  $sample: 'object',
  $sortByCount: 'expression',
  $replaceRoot: 'object',
  $replaceWith: 'expression',
  $redact: 'expression',
  $bucket: 'object',
  $bucketAuto: 'object',
  $lookup: 'object',
  $graphLookup: 'object',
  $unionWith: 'object',
  $facet: 'facets',
  $setWindowFields: 'object',
  $fill: 'object',
  $densify: 'constant',
});

/** Stages of a pipeline that is the update of an `UPDATE`. */
export const UPDATE_STAGES = table({
  $set: 'fields',
  $addFields: 'fields',
  $unset: 'constant',
  $project: 'fields',
  $replaceRoot: 'object',
  $replaceWith: 'expression',
});

/** Members of the stages that are objects; every other member is a mistake. */
export const STAGE_MEMBERS: Readonly<Record<string, Operators>> = Object.freeze({
  $sample: table({ size: 'number' }),
  $replaceRoot: table({ newRoot: 'expression' }),
  $bucket: table({ groupBy: 'expression', boundaries: 'values', default: 'literal', output: 'fields' }),
  $bucketAuto: table({ groupBy: 'expression', buckets: 'number', output: 'fields', granularity: 'constant' }),
  $lookup: table({
    from: 'constant',
    localField: 'constant',
    foreignField: 'constant',
    as: 'constant',
    let: 'fields',
    pipeline: 'stages',
  }),
  $graphLookup: table({
    from: 'constant',
    startWith: 'expression',
    connectFromField: 'constant',
    connectToField: 'constant',
    as: 'constant',
    maxDepth: 'number',
    depthField: 'constant',
    restrictSearchWithMatch: 'query',
  }),
  $unionWith: table({ coll: 'constant', pipeline: 'stages' }),
  $setWindowFields: table({ partitionBy: 'expression', sortBy: 'constant', output: 'fields' }),
  $fill: table({ partitionBy: 'expression', partitionByFields: 'constant', sortBy: 'constant', output: 'constant' }),
});

/** Members of stages that name another collection. */
export const COLLECTION_MEMBERS: Readonly<Record<string, string>> = Object.freeze({
  $lookup: 'from',
  $graphLookup: 'from',
  $unionWith: 'coll',
});

/** In expressions. All but `$literal` take an expression, a list of them, or an object of them. */
export const EXPRESSIONS = table({
  ...all(
    'expression',
    'abs add ceil divide exp floor ln log log10 mod multiply pow round sqrt subtract trunc ' +
      'sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh degreesToRadians radiansToDegrees ' +
      'bitAnd bitNot bitOr bitXor ' +
      'arrayElemAt arrayToObject concatArrays filter first firstN in indexOfArray isArray last lastN map maxN minN ' +
      'objectToArray range reduce reverseArray size slice sortArray zip ' +
      'and or not cmp eq ne gt gte lt lte cond ifNull switch ' +
      'dateAdd dateDiff dateFromParts dateFromString dateSubtract dateToParts dateToString dateTrunc dayOfMonth dayOfWeek ' +
      'dayOfYear hour isoDayOfWeek isoWeek isoWeekYear millisecond minute month second week year ' +
      'mergeObjects setField unsetField getField ' +
      'allElementsTrue anyElementTrue setDifference setEquals setIntersection setIsSubset setUnion ' +
      'concat indexOfBytes indexOfCP ltrim regexFind regexFindAll regexMatch replaceOne replaceAll rtrim split strLenBytes ' +
      'strLenCP strcasecmp substr substrBytes substrCP toLower toUpper trim ' +
      'convert isNumber toBool toDate toDecimal toDouble toInt toLong toObjectId toString type ' +
      'let rand sampleRate meta ' +
      // Of groups and windows.
      'addToSet avg bottom bottomN count max min push stdDevPop stdDevSamp sum top topN median percentile ' +
      'denseRank rank documentNumber derivative expMovingAvg integral linearFill locf shift covariancePop covarianceSamp',
  ),
  $literal: 'literal',
});

/** Behind a field of a projection of `FETCH`, beside 0, 1 and expressions. */
export const PROJECTION_OPERATORS = table({ $slice: 'constant', $elemMatch: 'element', $meta: 'constant' });

const CODE = 'it runs code in the database, which is more than any query needs';
const WRITES = 'it writes to a collection, which an AGGREGATE must not';
const INSIDE = 'it tells about the database itself, not about documents';
const PLACE = 'queries of positions on the globe are not part of the language';
const SERVICE = 'it needs a service beside the database';

/** Refused wherever they stand: the end of a sentence says why. */
export const REFUSED: Readonly<Record<string, string>> = Object.freeze(
  Object.assign(Object.create(null) as Record<string, string>, {
    $where: CODE,
    $function: CODE,
    $accumulator: CODE,
    $eval: CODE,
    $mapReduce: CODE,
    $out: WRITES,
    $merge: WRITES,
    $changeStream: INSIDE,
    $changeStreamSplitLargeEvent: INSIDE,
    $collStats: INSIDE,
    $currentOp: INSIDE,
    $indexStats: INSIDE,
    $listLocalSessions: INSIDE,
    $listSampledQueries: INSIDE,
    $listSearchIndexes: INSIDE,
    $listSessions: INSIDE,
    $planCacheStats: INSIDE,
    $querySettings: INSIDE,
    $queryStats: INSIDE,
    $shardedDataDistribution: INSIDE,
    $documents: 'it reads no collection',
    $geoIntersects: PLACE,
    $geoNear: PLACE,
    $geoWithin: PLACE,
    $near: PLACE,
    $nearSphere: PLACE,
    $search: SERVICE,
    $searchMeta: SERVICE,
    $vectorSearch: SERVICE,
    $toHashedIndexKey: INSIDE,
  }),
);

/** `$search` is refused as a stage only: behind `$text` it stands where it belongs. */
export const isRefused = (name: string): boolean => Object.hasOwn(REFUSED, name);

/** Names behind two dollar signs that MongoDB itself gives (`$$ROOT`); all others are made by `let`, `as`, ... */
export const VARIABLES: readonly string[] = ['ROOT', 'CURRENT', 'NOW', 'REMOVE', 'DESCEND', 'PRUNE', 'KEEP'];
