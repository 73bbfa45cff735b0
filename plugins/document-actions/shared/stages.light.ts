/**
 * Descriptions of pipeline stages, the names inside them, and how each changes the field names. The checker uses the
 * same table.
 */
import type { NameFlow } from '../../../contract/name-flow.js';
import type { MemberNames, NamePlace } from '../../../contract/field-meta.js';
import { EXPRESSION_WORDS, GROUP_WORDS, WINDOW_WORDS } from './expressions.light.js';

const STAGES: Readonly<Record<string, string>> = {
  $match: 'Keeps the documents that match this query.',
  $project: 'Which fields documents have from here on.',
  $addFields: 'Adds fields that expressions give.',
  $set: 'Adds fields that expressions give.',
  $group: 'One document for each value of `_id`, with sums and the like.',
  $unset: 'Removes fields.',
  $sort: 'The order: 1 upwards, -1 downwards.',
  $limit: 'Documents at most.',
  $skip: 'Documents that are left out at the beginning.',
  $count: 'One document with the number of those before, under this name.',
  $unwind: 'One document for each element of a list: `"$items"`.',
  $sample: 'So many documents by chance: `{"size": 3}`.',
  $sortByCount: 'How often each value of an expression occurs, the most frequent first.',
  $replaceRoot: 'Something inside a document takes its place.',
  $replaceWith: 'An expression takes the place of the document.',
  $redact: 'Keeps or drops parts of documents by an expression.',
  $bucket: 'Groups by boundaries.',
  $bucketAuto: 'Groups of about the same size.',
  $lookup: 'Adds a list of documents of another collection.',
  $graphLookup: 'Follows references through a collection, to any depth.',
  $unionWith: 'Adds the documents of another collection.',
  $facet: 'Several pipelines over the same documents.',
  $setWindowFields: 'Adds fields that look at the documents around.',
  $fill: 'Fills fields that are missing.',
  $densify: 'Adds documents where a series has gaps.',
};

/** After an unlisted stage, the field names are unknown. */
export const STAGE_FLOWS: Readonly<Record<string, NameFlow>> = {
  $match: 'keeps',
  $sort: 'keeps',
  $limit: 'keeps',
  $skip: 'keeps',
  $sample: 'keeps',
  $redact: 'keeps',
  $densify: 'keeps',
  $project: 'selects',
  $addFields: 'adds',
  $set: 'adds',
  $unset: 'drops',
  $group: 'gives',
  $bucket: 'sorts',
  $bucketAuto: 'sorts',
  $sortByCount: 'sorts',
  $facet: 'gives',
  $count: 'counts',
  $unwind: 'unwinds',
  $lookup: 'joins',
  $graphLookup: 'joins',
  $unionWith: 'mixes',
  $setWindowFields: 'writes',
  $fill: 'writes',
};

const mapToPlace = (words: Readonly<Record<string, string>>, place: string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(words).map((name) => [name, place]));

const { $literal: _, ...BEHIND_EXPRESSIONS } = mapToPlace(EXPRESSION_WORDS, 'expression');

const EXPRESSION_PLACES: Readonly<Record<string, NamePlace>> = {
  expression: { words: EXPRESSION_WORDS, behind: BEHIND_EXPRESSIONS, made: 'expression', text: 'path' },
  accumulator: { words: GROUP_WORDS, behind: mapToPlace(GROUP_WORDS, 'expression') },
  window: {
    words: { ...WINDOW_WORDS, window: 'Which documents around: `{"documents": ["unbounded", "current"]}`.' },
    behind: mapToPlace(WINDOW_WORDS, 'expression'),
  },
  computed: { fields: 'expression', made: 'expression' },
  path: { text: 'path' },
  named: { text: 'field' },
  collection: { text: 'collection' },
  accumulated: { made: 'accumulator' },
  windows: { made: 'window' },
  let: { made: 'expression' },
};

export const STAGE_PLACES: MemberNames['places'] = {
  ...EXPRESSION_PLACES,
  stage: {
    words: STAGES,
    flows: STAGE_FLOWS,
    behind: {
      $match: 'query',
      $project: 'computed',
      $addFields: 'computed',
      $set: 'computed',
      $group: 'group',
      $unset: 'named',
      $sort: 'fields',
      $unwind: 'unwind',
      $sample: 'sample',
      $sortByCount: 'expression',
      $replaceRoot: 'root',
      $replaceWith: 'expression',
      $redact: 'expression',
      $bucket: 'bucket',
      $bucketAuto: 'auto',
      $lookup: 'lookup',
      $graphLookup: 'graph',
      $unionWith: 'union',
      $facet: 'facets',
      $setWindowFields: 'around',
      $fill: 'fill',
      $densify: 'densify',
    },
  },
  group: {
    words: { _id: 'One document for each value of this; `null` for a single one.' },
    behind: { _id: 'expression' },
    made: 'accumulator',
  },
  unwind: {
    words: {
      path: 'The list: `"$items"`.',
      includeArrayIndex: 'A name for the index of the element.',
      preserveNullAndEmptyArrays: 'Whether documents without elements stay.',
    },
    behind: { path: 'path' },
    text: 'path',
  },
  root: { words: { newRoot: 'What takes the place of the document.' }, behind: { newRoot: 'expression' } },
  bucket: {
    words: {
      groupBy: 'What is compared with the boundaries.',
      boundaries: 'Where each group begins, and where the last one ends.',
      default: 'The `_id` of the group for all values outside.',
      output: 'The fields of each group. Default: `count`.',
    },
    behind: { groupBy: 'expression', output: 'accumulated' },
  },
  auto: {
    words: {
      groupBy: 'What is compared.',
      buckets: 'How many groups.',
      output: 'The fields of each group. Default: `count`.',
      granularity: 'The series that boundaries are taken from, such as `"R5"`.',
    },
    behind: { groupBy: 'expression', output: 'accumulated' },
  },
  lookup: {
    words: {
      from: 'The other collection.',
      localField: 'The field of these documents.',
      foreignField: 'The field of the others that equals it.',
      as: 'The name of the list that is added.',
      let: 'Names for the pipeline.',
      pipeline: 'What is done with the documents of the other collection.',
    },
    behind: { from: 'collection', localField: 'named', foreignField: 'named', let: 'let', pipeline: 'stage' },
    elsewhere: { named: 'from', about: ['foreignField', 'pipeline'] },
  },
  graph: {
    words: {
      from: 'The other collection.',
      startWith: 'Where the search begins.',
      connectFromField: 'The field of a document found that leads on.',
      connectToField: 'The field that equals it in the next one.',
      as: 'The name of the list that is added.',
      maxDepth: 'Steps at most.',
      depthField: 'A name for the number of the step.',
      restrictSearchWithMatch: 'Which documents count.',
    },
    behind: {
      from: 'collection',
      startWith: 'expression',
      connectFromField: 'named',
      connectToField: 'named',
      restrictSearchWithMatch: 'query',
    },
    elsewhere: { named: 'from', about: ['connectFromField', 'connectToField', 'restrictSearchWithMatch'] },
  },
  union: {
    words: { coll: 'The other collection.', pipeline: 'What is done with its documents.' },
    behind: { coll: 'collection', pipeline: 'stage' },
    text: 'collection',
    elsewhere: { named: 'coll', about: ['pipeline'] },
  },
  facets: { made: 'stage' },
  around: {
    words: {
      partitionBy: 'Documents are looked at among those with the same value of this.',
      sortBy: 'The order.',
      output: 'The fields that are added.',
    },
    behind: { partitionBy: 'expression', sortBy: 'fields', output: 'windows' },
  },
  fill: {
    words: {
      partitionBy: 'Documents are looked at among those with the same value of this.',
      partitionByFields: 'The same, by names of fields.',
      sortBy: 'The order.',
      output: 'The fields that are filled: `{"price": {"method": "linear"}}`.',
    },
    behind: { partitionBy: 'expression', partitionByFields: 'named', sortBy: 'fields', output: 'fields' },
  },
  densify: {
    words: {
      field: 'The field of the series.',
      partitionByFields: 'A series for each value of these fields.',
      range: 'How far, in which steps: `{"step": 1, "unit": "day", "bounds": "full"}`.',
    },
    behind: { field: 'named', partitionByFields: 'named' },
  },
  sample: { words: { size: 'How many.' } },
};
