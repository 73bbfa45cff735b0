/** Definitions on documents, as somebody writes them who has read nothing but the interface and what settles it. Data only. */
import { type Part, q, rules, of, from, BY_ID } from './interface-documents-parts.js';
import { LIBRARY_WORK } from './interface-documents-work.js';

export const LIBRARY: readonly Part[] = [
  {
    _book: {
      id: { type: 'String', primary_key: true },
      title: { type: 'String', fts: true },
      pages: { type: 'Number', optional: true },
      price: { type: 'Float', optional: true },
      lent: { type: 'Boolean', optional: true },
      tags: { type: 'JSON_ARRAY', property_type: 'String', optional: true },
      by: { type: 'JSON_OBJECT', properties: { name: { type: 'String' } }, optional: true },
      printed: { type: 'DateTime', optional: true },
      status: { type: 'String', optional: true },
      created_at: { type: 'DateTime', optional: true },
      updated_at: { type: 'DateTime', optional: true },
      deleted_at: { type: 'DateTime', optional: true },
    },
  },
  {
    _reader: {
      id: { type: 'String', primary_key: true },
      email: { type: 'String', unique: true },
      password: { type: 'String' },
      balance: { type: 'Float' },
      card: { type: 'String', optional: true },
      created_at: { type: 'DateTime' },
      updated_at: { type: 'DateTime' },
    },
  },
  // INSERT: each entry of `parameters` is a field.
  of('add', {
    ...q('INSERT', {
      parameters: ['id', '$PAYLOAD.title', 'pages', 'price', 'tags', 'by', 'printed'],
      with_timestamp: true,
    }),
    ...rules({ id: { type: 'STRING' }, title: { type: 'STRING' } }),
  }),
  of('add-bare', q('INSERT', { collection: 'loose', parameters: ['a', '$PAYLOAD.deep.b', '$HEADER.x-kind'] })),
  of('add-written-out', {
    ...q('INSERT', {
      document: {
        id: '$1',
        title: 'About $PAYLOAD.of',
        pages: 1,
        tags: ['new', '$PAYLOAD.of'],
        by: { name: '$PAYLOAD.of' },
      },
      parameters: ['id'],
    }),
    generate: '$GENERATOR.ULID',
    for: 'id',
  }),
  of('no-model', q('INSERT', { collection: 'scraps', document: { any: '$PAYLOAD.any', at: '$DATETIME' } })),
  of('no-model-get', {
    ...q('FETCH', { collection: 'scraps', filter_predicate: { any: '$PAYLOAD.any' } }),
    returnables: ['any'],
  }),
  // FETCH and its relatives.
  of('get', q('FETCH', BY_ID)),
  of('get-one', q('FETCH_ONE', BY_ID)),
  of('get-many', { ...q('FETCH', BY_ID), result: 'many' }),
  of('must', { ...q('FETCH', BY_ID), must_return_value: true }),
  of('must-else', {
    ...q('FETCH_ONE', BY_ID),
    must_return_value: true,
    on_empty: { status: 404, message: 'No such book' },
  }),
  of('by-parameters', {
    ...q('FETCH', { filter_predicate: { title: '$2', pages: '$1' }, parameters: ['pages', 'title'] }),
  }),
  of('twice', {
    ...q('FETCH', { filter_predicate: { $or: [{ id: '$1' }, { title: '$1' }] }, parameters: ['q'], sort: { id: 1 } }),
    ...rules({ q: { type: 'STRING' } }),
    result: 'many',
    returnables: ['id'],
  }),
  of('longer', {
    ...q('FETCH', { filter_predicate: { pages: { $gt: '$PAYLOAD.pages' } }, sort: { pages: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  of('tagged', {
    ...q('FETCH', { filter_predicate: { tags: '$PAYLOAD.tag' }, sort: { id: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  of('written-by', {
    ...q('FETCH', { filter_predicate: { 'by.name': '$PAYLOAD.name' } }),
    result: 'many',
    returnables: ['id', 'by.name'],
  }),
  of('not', {
    ...q('FETCH', { filter_predicate: { pages: { $ne: null }, id: { $nin: '$PAYLOAD.ids' } }, sort: { id: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  of('without-pages', {
    ...q('FETCH', { filter_predicate: { pages: { $exists: false } }, sort: { title: 1 } }),
    result: 'many',
    returnables: ['title'],
  }),
  of('search', {
    ...q('FETCH', { filter_predicate: { $text: { $search: '$PAYLOAD.words' } }, sort: { id: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  of('page', {
    ...q('FETCH', { sort: { id: 1 }, skip: '$PAYLOAD.skip', limit: 2, projection: { id: 1, _id: 0 } }),
    result: 'many',
  }),
  of('count', q('COUNT', { filter_predicate: { tags: '$PAYLOAD.tag' } })),
  of('by-tag', {
    ...q('AGGREGATE', {
      pipeline: [
        { $unwind: '$tags' },
        { $group: { _id: '$tags', books: { $sum: 1 }, pages: { $sum: '$pages' } } },
        { $project: { _id: 0, tag: '$_id', books: 1, pages: 1 } },
        { $sort: { tag: 1 } },
        { $limit: 3 },
      ],
    }),
    result: 'many',
  }),
  // UPDATE and DELETE.
  of(
    'retitle',
    q('UPDATE', {
      ...BY_ID,
      update_predicate: { $set: { title: '$PAYLOAD.title', 'by.name': '$PAYLOAD.by' } },
      with_timestamp: true,
    }),
    { returnables: ['title', 'by.name'] },
  ),
  of(
    'retag',
    q('UPDATE', {
      ...BY_ID,
      update_predicate: {
        $addToSet: { tags: '$PAYLOAD.tag' },
        $inc: { pages: '$PAYLOAD.more' },
        $unset: { price: '' },
      },
    }),
    { returnables: ['tags', 'pages', 'price'] },
  ),
  of('untag', q('UPDATE', { ...BY_ID, update_predicate: { $pull: { tags: '$PAYLOAD.tag' } } }), {
    returnables: ['tags'],
  }),
  of('lend-all', {
    ...q('UPDATE', { filter_predicate: {}, update_predicate: { $set: { lent: true } } }),
    result: 'many',
    returnables: ['lent'],
  }),
  of('hide', q('DELETE', { ...BY_ID, soft_delete: true }), { returnables: ['id'] }),
  of('remove', q('DELETE', BY_ID), { returnables: ['id'] }),
  // `multi`, `unique`, one transaction.
  of('add-many', {
    ...q('INSERT', { parameters: ['id', 'title'], multi: true }),
    ...rules({ books: { type: 'ARRAY', fields: { id: { type: 'STRING' }, title: { type: 'STRING' } } } }),
    returnables: ['id'],
  }),
  of('both', [
    { ...q('UPDATE', { filter_predicate: { id: 'b1' }, update_predicate: { $set: { status: 'half' } } }) },
    { ...q('INSERT', { document: { id: '$PAYLOAD.id', title: 'second' } }) },
  ]),
  // Chains.
  of('copy', [
    { ...q('FETCH_ONE', BY_ID), no_op: true, must_return_value: true },
    {
      ...q('INSERT', {
        document: { id: '$PAYLOAD.as', title: '$1', by: '$2', tags: '$PAYLOAD.tags' },
        parameters: ['title', 'author'],
      }),
      ...from(1, { title: 'title', by: 'author', tags: 'tags' }),
    },
  ]),
  of('first-tag', {
    mode: 'RETURN',
    value: { tag: 'tag', all: 'whole' },
    ...from(1, { 'tags.0': 'tag', self_: 'whole' }, 'get-one'),
  }),
  of('side-by-side', [
    { ...q('COUNT', { filter_predicate: {} }), parallel: true },
    {
      ...q('FETCH_ONE', { filter_predicate: { id: 'b1' } }),
      parallel: true,
      main_returnable: true,
      returnables: ['id'],
    },
  ]),
  ...LIBRARY_WORK,
];
