/** Fields of several document actions. */
import type { CommonMistakes } from '../../../contract/common-mistakes.js';
import { FIELD_NAMES, FILTER_NAMES, PROJECTION_NAMES } from './names.light.js';
import { list, numeric, record, value } from '../../../contract/combinators.js';

const FILTER = { say: 'documents are selected by `"filter_predicate"`', rename: 'filter_predicate' };
const UPDATE = { say: 'the changes are `"update_predicate"`', rename: 'update_predicate' };
const DOCUMENT = { say: 'the new document is `"document"`', rename: 'document' };
const PIPELINE = { say: 'the stages are `"pipeline"`', rename: 'pipeline' };
const PROJECTION = { say: 'the fields are `"projection"`', rename: 'projection' };

export const MISTAKEN_FILTER: CommonMistakes = {
  filter: FILTER,
  query: FILTER,
  find: FILTER,
  where: FILTER,
  match: FILTER,
  selector: FILTER,
  predicate: FILTER,
  conditions: FILTER,
};
export const MISTAKEN_UPDATE: CommonMistakes = {
  new: 'an UPDATE always returns the documents after the change',
  returnDocument: 'an UPDATE always returns the documents after the change',
  options: '`"upsert"`, `"sort"` and `"array_filters"` are written next to the predicates',
  multi_update: 'an UPDATE changes all that match; `"result": "one"` on the actionable the first only',
  limit: '`"result": "one"` on the actionable changes the first only',
  update: UPDATE,
  set: 'what is changed is `"update_predicate": {"$set": {"name": "$PAYLOAD.name"}}`',
  changes: UPDATE,
};
export const MISTAKEN_DOCUMENT: CommonMistakes = { data: DOCUMENT, doc: DOCUMENT, insert: DOCUMENT, payload: DOCUMENT };
export const MISTAKEN_PIPELINE: CommonMistakes = { stages: PIPELINE, aggregate: PIPELINE, aggregation: PIPELINE };
export const MISTAKEN_FIND: CommonMistakes = {
  ...MISTAKEN_FILTER,
  populate: 'documents of another collection are joined by `$lookup` in an AGGREGATE',
  include: 'documents of another collection are joined by `$lookup` in an AGGREGATE',
  lean: 'documents are plain anyway',
  select: PROJECTION,
  fields: PROJECTION,
  project: PROJECTION,
  order: { say: 'the order is `"sort"`', rename: 'sort' },
  order_by: { say: 'the order is `"sort"`', rename: 'sort' },
  offset: { say: 'documents are skipped with `"skip"`', rename: 'skip' },
};

export const filterField = () =>
  value(null, {
    doc:
      'Selects documents with the operators of MongoDB. Values are literals, accessors, or `"$1"`, ... for `parameters`. A value of a ' +
      'request is never read as an operator; as in SQL, `null` or a missing value matches no document.',
    members: FILTER_NAMES,
    examples: [{ email: '$PAYLOAD.email' }, { balance: { $gte: '$1' }, tags: { $in: ['new', 'open'] } }],
    form: '{"email": "$PAYLOAD.email"}',
  });

export const sortField = () =>
  record(numeric({ doc: '1: ascending, -1: descending.' }).oneOf([1, -1]), {
    doc: 'Fields to sort by; the first one comes first.',
    members: FIELD_NAMES,
    examples: [{ created_at: -1 }],
  });

export const projectionField = () =>
  value(null, {
    doc: 'Fields to return: only those with 1, or all except those with 0. Expressions add computed fields.',
    members: PROJECTION_NAMES,
    examples: [{ email: 1, _id: 0 }],
    form: '{"email": 1}',
  });

export const limitField = () =>
  value(numeric({ doc: 'A number.' }).integer().min(0), {
    doc: 'Maximum number of documents. A value from a request must be a whole number of at least 0; 0 returns none.',
    examples: [20, '$PAYLOAD.limit'],
  });

export const skipField = () =>
  value(numeric({ doc: 'A number.' }).integer().min(0), {
    doc: 'Number of documents to skip.',
    examples: [40, '$PAYLOAD.skip'],
  });

export const arrayFiltersField = () =>
  list(value(null, { doc: 'A filter for the elements that `$[name]` selects.' }), {
    doc: 'The elements of lists that `$[name]` in the update selects.',
    examples: [[{ 'item.done': false }]],
  });
