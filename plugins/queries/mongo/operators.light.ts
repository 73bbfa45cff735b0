/**
 * Operators of filters, updates and pipelines, with positions and operands: for the checker and the compiler. Data
 * only.
 */

/**
 * The operand of an operator. Unless noted, values (accessors, `"$1"`) are allowed.
 *
 * - `value`: one value, of the type of the field it is compared with or written to.
 * - `values`: a list of them, or one value that is a list.
 * - `number`, `text`, `flag`: one value of that type.
 * - `numbers`: a list of numbers.
 * - `query`: an object of fields and operators; `queries`: a list of them. Never a value.
 * - `condition`: operators of one field (`{"$gt": 1}`), never a value.
 * - `element`: a query of objects, or a condition of scalar elements; never a value.
 * - `matching`: a value, or a condition or query, as for `$pull`.
 * - `pushed`: a value, or an object of `PUSH_MODIFIERS`.
 * - `search`: the object of `$text`: `SEARCH_FIELDS`.
 * - `expression`: an expression, a list of them, or an object of them (`{"input": ..., "in": ...}`); `"$name"` in it is a path.
 * - `fields`: an object of names with one expression each.
 * - `literal`: a value that is never a path (`$literal`).
 * - `stages`: a pipeline. `facets`: an object of names with one pipeline each.
 * - `object`: an object with the members in `STAGE_MEMBERS`.
 * - `constant`: a constant of the definition without values.
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

const createOperatorTable = (entries: Operators): Operators =>
  Object.freeze(Object.assign(Object.create(null) as Record<string, Operand>, entries));

const mapOperators = (operand: Operand, names: string): Operators =>
  Object.fromEntries(names.split(/\s+/).map((name) => [`$${name}`, operand]));

/** In a query, next to fields: `{"$or": [...]}`. */
export const QUERY_OPERATORS = createOperatorTable({
  $and: 'queries',
  $or: 'queries',
  $nor: 'queries',
  $expr: 'expression',
  $text: 'search',
  $jsonSchema: 'constant',
  $comment: 'constant',
});

/** In the condition of a field: `{"age": {"$gte": 18}}`. */
export const FIELD_OPERATORS = createOperatorTable({
  ...mapOperators('value', 'eq ne gt gte lt lte'),
  ...mapOperators('values', 'in nin all'),
  $not: 'condition',
  $elemMatch: 'element',
  $exists: 'flag',
  $type: 'constant',
  $size: 'number',
  $mod: 'numbers',
  $regex: 'text',
  $options: 'constant',
  ...mapOperators('number', 'bitsAllClear bitsAllSet bitsAnyClear bitsAnySet'),
});

export const SEARCH_FIELDS = createOperatorTable({
  $search: 'text',
  $language: 'constant',
  $caseSensitive: 'constant',
  $diacriticSensitive: 'constant',
});

export const UPDATE_OPERATORS = createOperatorTable({
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

/** Combined in the operand of `$push`; `$addToSet` allows only `$each`. */
export const PUSH_MODIFIERS = createOperatorTable({
  $each: 'values',
  $slice: 'number',
  $position: 'number',
  $sort: 'constant',
});

export const BIT_FIELDS = createOperatorTable({ and: 'number', or: 'number', xor: 'number' });

export const STAGES = createOperatorTable({
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

export const UPDATE_STAGES = createOperatorTable({
  $set: 'fields',
  $addFields: 'fields',
  $unset: 'constant',
  $project: 'fields',
  $replaceRoot: 'object',
  $replaceWith: 'expression',
});

export const STAGE_MEMBERS: Readonly<Record<string, Operators>> = Object.freeze({
  $sample: createOperatorTable({ size: 'number' }),
  $replaceRoot: createOperatorTable({ newRoot: 'expression' }),
  $bucket: createOperatorTable({ groupBy: 'expression', boundaries: 'values', default: 'literal', output: 'fields' }),
  $bucketAuto: createOperatorTable({
    groupBy: 'expression',
    buckets: 'number',
    output: 'fields',
    granularity: 'constant',
  }),
  $lookup: createOperatorTable({
    from: 'constant',
    localField: 'constant',
    foreignField: 'constant',
    as: 'constant',
    let: 'fields',
    pipeline: 'stages',
  }),
  $graphLookup: createOperatorTable({
    from: 'constant',
    startWith: 'expression',
    connectFromField: 'constant',
    connectToField: 'constant',
    as: 'constant',
    maxDepth: 'number',
    depthField: 'constant',
    restrictSearchWithMatch: 'query',
  }),
  $unionWith: createOperatorTable({ coll: 'constant', pipeline: 'stages' }),
  $setWindowFields: createOperatorTable({ partitionBy: 'expression', sortBy: 'constant', output: 'fields' }),
  $fill: createOperatorTable({
    partitionBy: 'expression',
    partitionByFields: 'constant',
    sortBy: 'constant',
    output: 'constant',
  }),
});

export const COLLECTION_MEMBERS: Readonly<Record<string, string>> = Object.freeze({
  $lookup: 'from',
  $graphLookup: 'from',
  $unionWith: 'coll',
});

/** Expression operators. All except `$literal` take an expression, a list of them, or an object of them. */
export const EXPRESSIONS = createOperatorTable({
  ...mapOperators(
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
      // Accumulators and window operators.
      'addToSet avg bottom bottomN count max min push stdDevPop stdDevSamp sum top topN median percentile ' +
      'denseRank rank documentNumber derivative expMovingAvg integral linearFill locf shift covariancePop covarianceSamp',
  ),
  $literal: 'literal',
});

/** Operators of a `FETCH` projection, next to 0, 1 and expressions. */
export const PROJECTION_OPERATORS = createOperatorTable({
  $slice: 'constant',
  $elemMatch: 'element',
  $meta: 'constant',
});

const CODE = 'it runs code in the database, which is more than any query needs';
const WRITES = 'it writes to a collection, which an AGGREGATE must not';
const INSIDE = 'it describes the database, not documents';
const PLACE = 'queries of positions on the globe are not part of the language';
const SERVICE = 'it needs a service in addition to the database';

/** Forbidden everywhere; each reason is the end of a sentence. */
export const REJECTED_OPERATORS: Readonly<Record<string, string>> = Object.freeze(
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

/** Inside `$text`, `$search` has its own table. */
export const isRejectedOperator = (name: string): boolean => Object.hasOwn(REJECTED_OPERATORS, name);

/** System variables (`$$ROOT`); all others are defined by `let`, `as`, ... */
export const EXPRESSION_VARIABLES: readonly string[] = ['ROOT', 'CURRENT', 'NOW', 'REMOVE', 'DESCEND', 'PRUNE', 'KEEP'];
