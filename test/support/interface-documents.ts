/** Definitions on documents, written from the interface and its specification alone. Data only. */
import {
  type Part,
  defineBookQuery,
  defineRules,
  defineLibraryResource,
  defineDependsOn,
  BY_ID,
} from './interface-documents-parts.js';
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
  defineLibraryResource('add', {
    ...defineBookQuery('INSERT', {
      parameters: ['id', '$PAYLOAD.title', 'pages', 'price', 'tags', 'by', 'printed'],
      with_timestamp: true,
    }),
    ...defineRules({ id: { type: 'STRING' }, title: { type: 'STRING' } }),
  }),
  defineLibraryResource(
    'add-bare',
    defineBookQuery('INSERT', { collection: 'loose', parameters: ['a', '$PAYLOAD.deep.b', '$HEADER.x-kind'] }),
  ),
  defineLibraryResource('add-written-out', {
    ...defineBookQuery('INSERT', {
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
  defineLibraryResource(
    'no-model',
    defineBookQuery('INSERT', { collection: 'scraps', document: { any: '$PAYLOAD.any', at: '$DATETIME' } }),
  ),
  defineLibraryResource('no-model-get', {
    ...defineBookQuery('FETCH', { collection: 'scraps', filter_predicate: { any: '$PAYLOAD.any' } }),
    returnables: ['any'],
  }),
  // FETCH and its relatives.
  defineLibraryResource('get', defineBookQuery('FETCH', BY_ID)),
  defineLibraryResource('get-one', defineBookQuery('FETCH_ONE', BY_ID)),
  defineLibraryResource('get-many', { ...defineBookQuery('FETCH', BY_ID), result: 'many' }),
  defineLibraryResource('must', { ...defineBookQuery('FETCH', BY_ID), must_return_value: true }),
  defineLibraryResource('must-else', {
    ...defineBookQuery('FETCH_ONE', BY_ID),
    must_return_value: true,
    on_empty: { status: 404, message: 'No such book' },
  }),
  defineLibraryResource('by-parameters', {
    ...defineBookQuery('FETCH', { filter_predicate: { title: '$2', pages: '$1' }, parameters: ['pages', 'title'] }),
  }),
  defineLibraryResource('twice', {
    ...defineBookQuery('FETCH', {
      filter_predicate: { $or: [{ id: '$1' }, { title: '$1' }] },
      parameters: ['q'],
      sort: { id: 1 },
    }),
    ...defineRules({ q: { type: 'STRING' } }),
    result: 'many',
    returnables: ['id'],
  }),
  defineLibraryResource('longer', {
    ...defineBookQuery('FETCH', { filter_predicate: { pages: { $gt: '$PAYLOAD.pages' } }, sort: { pages: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  defineLibraryResource('tagged', {
    ...defineBookQuery('FETCH', { filter_predicate: { tags: '$PAYLOAD.tag' }, sort: { id: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  defineLibraryResource('written-by', {
    ...defineBookQuery('FETCH', { filter_predicate: { 'by.name': '$PAYLOAD.name' } }),
    result: 'many',
    returnables: ['id', 'by.name'],
  }),
  defineLibraryResource('not', {
    ...defineBookQuery('FETCH', {
      filter_predicate: { pages: { $ne: null }, id: { $nin: '$PAYLOAD.ids' } },
      sort: { id: 1 },
    }),
    result: 'many',
    returnables: ['id'],
  }),
  defineLibraryResource('without-pages', {
    ...defineBookQuery('FETCH', { filter_predicate: { pages: { $exists: false } }, sort: { title: 1 } }),
    result: 'many',
    returnables: ['title'],
  }),
  defineLibraryResource('search', {
    ...defineBookQuery('FETCH', { filter_predicate: { $text: { $search: '$PAYLOAD.words' } }, sort: { id: 1 } }),
    result: 'many',
    returnables: ['id'],
  }),
  defineLibraryResource('page', {
    ...defineBookQuery('FETCH', { sort: { id: 1 }, skip: '$PAYLOAD.skip', limit: 2, projection: { id: 1, _id: 0 } }),
    result: 'many',
  }),
  defineLibraryResource('count', defineBookQuery('COUNT', { filter_predicate: { tags: '$PAYLOAD.tag' } })),
  defineLibraryResource('by-tag', {
    ...defineBookQuery('AGGREGATE', {
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
  defineLibraryResource(
    'retitle',
    defineBookQuery('UPDATE', {
      ...BY_ID,
      update_predicate: { $set: { title: '$PAYLOAD.title', 'by.name': '$PAYLOAD.by' } },
      with_timestamp: true,
    }),
    { returnables: ['title', 'by.name'] },
  ),
  defineLibraryResource(
    'retag',
    defineBookQuery('UPDATE', {
      ...BY_ID,
      update_predicate: {
        $addToSet: { tags: '$PAYLOAD.tag' },
        $inc: { pages: '$PAYLOAD.more' },
        $unset: { price: '' },
      },
    }),
    { returnables: ['tags', 'pages', 'price'] },
  ),
  defineLibraryResource(
    'untag',
    defineBookQuery('UPDATE', { ...BY_ID, update_predicate: { $pull: { tags: '$PAYLOAD.tag' } } }),
    {
      returnables: ['tags'],
    },
  ),
  defineLibraryResource('lend-all', {
    ...defineBookQuery('UPDATE', { filter_predicate: {}, update_predicate: { $set: { lent: true } } }),
    result: 'many',
    returnables: ['lent'],
  }),
  defineLibraryResource('hide', defineBookQuery('DELETE', { ...BY_ID, soft_delete: true }), { returnables: ['id'] }),
  defineLibraryResource('remove', defineBookQuery('DELETE', BY_ID), { returnables: ['id'] }),
  // `multi`, `unique`, one transaction.
  defineLibraryResource('add-many', {
    ...defineBookQuery('INSERT', { parameters: ['id', 'title'], multi: true }),
    ...defineRules({ books: { type: 'ARRAY', fields: { id: { type: 'STRING' }, title: { type: 'STRING' } } } }),
    returnables: ['id'],
  }),
  defineLibraryResource('both', [
    {
      ...defineBookQuery('UPDATE', { filter_predicate: { id: 'b1' }, update_predicate: { $set: { status: 'half' } } }),
    },
    { ...defineBookQuery('INSERT', { document: { id: '$PAYLOAD.id', title: 'second' } }) },
  ]),
  // Chains.
  defineLibraryResource('copy', [
    { ...defineBookQuery('FETCH_ONE', BY_ID), no_op: true, must_return_value: true },
    {
      ...defineBookQuery('INSERT', {
        document: { id: '$PAYLOAD.as', title: '$1', by: '$2', tags: '$PAYLOAD.tags' },
        parameters: ['title', 'author'],
      }),
      ...defineDependsOn(1, { title: 'title', by: 'author', tags: 'tags' }),
    },
  ]),
  defineLibraryResource('first-tag', {
    mode: 'RETURN',
    value: { tag: 'tag', all: 'whole' },
    ...defineDependsOn(1, { 'tags.0': 'tag', self_: 'whole' }, 'get-one'),
  }),
  defineLibraryResource('side-by-side', [
    { ...defineBookQuery('COUNT', { filter_predicate: {} }), parallel: true },
    {
      ...defineBookQuery('FETCH_ONE', { filter_predicate: { id: 'b1' } }),
      parallel: true,
      main_returnable: true,
      returnables: ['id'],
    },
  ]),
  ...LIBRARY_WORK,
];
