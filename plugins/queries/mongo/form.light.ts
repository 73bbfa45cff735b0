/** How a document query writes and compares fields. */
import type { DocumentForm } from '../../../contract/document-form.js';

export const DOCUMENT_FORM: DocumentForm = {
  written: { INSERT: 'document', UPDATE: 'update_predicate' },
  bare: 'INSERT',
  condition: 'filter_predicate',
  stages: 'pipeline',
  match: '$match',
  keeping: ['$match', '$sort', '$limit', '$skip', '$sample'],
  plain: ['$match', '$sort', '$limit', '$skip'],
  shaping: ['$project', '$addFields', '$set', '$group', '$replaceWith', '$replaceRoot'],
  joining: { $lookup: 'from', $graphLookup: 'from', $unionWith: 'coll' },
  operators: ['$set', '$setOnInsert', '$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$and', '$or', '$nor', '$not'],
  listOperators: ['$in', '$nin'],
};
