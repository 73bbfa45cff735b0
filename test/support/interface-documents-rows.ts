/**
 * Sentences of the interface about documents, each with a request and its response; in their order, for
 * `interface-documents.ts`. Data only.
 */
import type { Loose } from './client.js';

export const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/;
export const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
export const HEX = /^[0-9a-f]{24}$/;

/** A sentence, the request, the status, and the response: exactly, with patterns for generated values. */
export type Row = readonly [says: string, path: string, body: unknown, status: number, gives?: unknown];

const B1 = {
  id: 'b1',
  title: 'The Sea',
  pages: 300,
  price: 9.5,
  tags: ['sea', 'storm'],
  by: { name: 'Ada', born: { year: 1815 } },
  printed: '2026-01-01T00:00:00+01:00',
};
const STORED = { ...B1, _id: HEX, printed: '2025-12-31T23:00:00.000Z', created_at: ISO, updated_at: ISO };
export const toIdRows = (...ids: readonly string[]): Loose[] => ids.map((id) => ({ id }));
const createProblem = (code: string, pointer?: string): Loose => ({ code, ...(pointer !== undefined && { pointer }) });

export const ROWS: readonly Row[] = [
  [
    'INSERT: a bare name is its own field, an accessor has the name of its last segment; timestamps',
    'add',
    B1,
    200,
    STORED,
  ],
  [
    'a bare name that the payload lacks is no field or null',
    'add',
    { id: 'b2', title: 'The Lake', tags: ['lake'] },
    200,
  ],
  ['a number of the model is a number', 'add', { id: 'b3', title: 'Storms at sea', pages: '20', tags: ['storm'] }, 200],
  [
    'a value that does not fit its field is rejected with a pointer',
    'add',
    { id: 'b4', title: 't', pages: 'many' },
    422,
    createProblem('QRY_BAD_VALUE', '/pages'),
  ],
  ['a primary key is taken once', 'add', { id: 'b1', title: 'again' }, 409, createProblem('QRY_UNIQUE', '/id')],
  ['a violated rule', 'add', { id: 7, title: 't' }, 422, createProblem('VAL_PAYLOAD', '/id')],
  ['an accessor that is not there', 'add', { id: 'b4' }, 422],
  [
    "names inside a client's object are no operators",
    'add',
    { id: 'b4', title: 't', by: { $ne: 1 } },
    422,
    createProblem('MQL_KEY', '/by/$ne'),
  ],
  [
    'an accessor of a path, a header',
    'add-bare',
    { a: 1, deep: { b: [2] } },
    200,
    { _id: HEX, a: 1, b: [2], 'x-kind': 'test' },
  ],
  [
    '`document` writes it out; text with an accessor, a generated name',
    'add-written-out',
    { of: 'ink' },
    200,
    { _id: HEX, id: ULID, title: 'About ink', pages: 1, tags: ['new', 'ink'], by: { name: 'ink' } },
  ],
  ['an object inside a longer text is rejected', 'add-written-out', { of: { a: 1 } }, 422],
  [
    'a collection without a model',
    'no-model',
    { any: { deep: [1, null, 'x'] } },
    200,
    { _id: HEX, any: { deep: [1, null, 'x'] }, at: ISO },
  ],
  [
    'objects are compared as a whole',
    'no-model-get',
    { any: { deep: [1, null, 'x'] } },
    200,
    { any: { deep: [1, null, 'x'] } },
  ],
  ['no row: `null`', 'get', { id: 'none' }, 200, null],
  ['one row: the object', 'get', { id: 'b1' }, 200, STORED],
  ['FETCH_ONE: the object', 'get-one', { id: 'b1' }, 200, STORED],
  ['`"result": "many"`: always an array', 'get-many', { id: 'none' }, 200, []],
  [
    '`must_return_value` with no row',
    'must',
    { id: 'none' },
    404,
    { message: 'Operation Failed: this action must return a value!' },
  ],
  ['`on_empty` overrides', 'must-else', { id: 'none' }, 404, { message: 'No such book' }],
  ['`parameters` in any order', 'by-parameters', { pages: 300, title: 'The Sea' }, 200, STORED],
  ['a bare name that is absent is NULL, which equals nothing', 'by-parameters', { title: 'The Lake' }, 200, null],
  ['"$1" may repeat', 'twice', { q: 'b2' }, 200, toIdRows('b2')],
  ['... in both places', 'twice', { q: 'The Sea' }, 200, toIdRows('b1')],
  ['an operator of the definition', 'longer', { pages: 10 }, 200, toIdRows('b3', 'b1')],
  [
    'an operator of a client is a value',
    'longer',
    { pages: { $gt: 0 } },
    422,
    createProblem('QRY_BAD_VALUE', '/pages'),
  ],
  ['an element of a list', 'tagged', { tag: 'storm' }, 200, toIdRows('b1', 'b3')],
  ['a list of a client is a whole list', 'tagged', { tag: ['lake'] }, 200, toIdRows('b2')],
  ['a dotted path', 'written-by', { name: 'Ada' }, 200, [{ id: 'b1', by: { name: 'Ada' } }]],
  ['`$ne` and `$nin`', 'not', { ids: ['b3', 'zz'] }, 200],
  ['full-text search', 'search', { words: 'lake' }, 200, toIdRows('b2')],
  ['... of any of the words, whatever the case', 'search', { words: 'SEA' }, 200, toIdRows('b1', 'b3')],
  ['`sort`, `skip`, `limit`', 'page', { skip: 0 }, 200],
  ['COUNT', 'count', { tag: 'storm' }, 200, { count: 2 }],
  ['COUNT of none', 'count', { tag: 'none' }, 200, { count: 0 }],
  ['AGGREGATE', 'by-tag', {}, 200],
  [
    'UPDATE gives the document as it is then; a path inside an object',
    'retitle',
    { id: 'b1', title: 'Seas', by: 'Eve' },
    200,
    { title: 'Seas', by: { name: 'Eve' } },
  ],
  ['UPDATE of none', 'retitle', { id: 'none', title: 'Seas', by: 'Eve' }, 200, null],
  [
    '`$addToSet`, `$inc`, `$unset`',
    'retag',
    { id: 'b1', tag: 'sea', more: 2 },
    200,
    { tags: ['sea', 'storm'], pages: 302 },
  ],
  [
    '`$addToSet` of what is new',
    'retag',
    { id: 'b1', tag: 'salt', more: -2 },
    200,
    { tags: ['sea', 'storm', 'salt'], pages: 300 },
  ],
  ['text is no amount', 'retag', { id: 'b1', tag: 'salt', more: 'two' }, 422, createProblem('QRY_BAD_VALUE', '/more')],
  ['`$inc` on what is null is refused', 'retag', { id: 'b2', tag: 'x', more: 5 }, 422, createProblem('QRY_BAD_VALUE')],
  ['`$pull`', 'untag', { id: 'b1', tag: 'salt' }, 200, { tags: ['sea', 'storm'] }],
  [
    '`$pull` of an operator of a client is refused',
    'untag',
    { id: 'b1', tag: { $ne: 'sea' } },
    422,
    createProblem('MQL_KEY', '/tag/$ne'),
  ],
  ['an empty filter means all', 'lend-all', {}, 200, [1, 2, 3, 4].map(() => ({ lent: true }))],
  [
    '`multi`: one for each element, the list of results',
    'add-many',
    {
      books: [
        { id: 'm1', title: 'a' },
        { id: 'm2', title: 'b' },
      ],
    },
    200,
    toIdRows('m1', 'm2'),
  ],
  [
    '... all or nothing',
    'add-many',
    {
      books: [
        { id: 'm3', title: 'a' },
        { id: 'b1', title: 'b' },
      ],
    },
    409,
  ],
  ['... so that the first is not there', 'get', { id: 'm3' }, 200, null],
  ['neighbours are one transaction', 'both', { id: 'b1' }, 409],
  ['... so that the first is not changed', 'count-status', { status: 'half' }, 404],
  ['a chain: `no_op` first, names from its result', 'copy', { id: 'b1', as: 'c1' }, 200],
  ['... which must be there', 'copy', { id: 'none', as: 'c2' }, 404],
  ['a dependency of another resource, a numeric segment, `self_`', 'first-tag', { id: 'b2' }, 200],
  ['`parallel` and `main_returnable`', 'side-by-side', {}, 200, { id: 'b1' }],
  ['`soft_delete` keeps it', 'hide', { id: 'c1' }, 200, { id: 'c1' }],
  ['DELETE gives what it removed', 'remove', { id: 'c1' }, 200, { id: 'c1' }],
  ['... once', 'remove', { id: 'c1' }, 200, null],
  ['sign-in of an unknown user', 'sign-in', { email: 'ada@example.com', password: 'correct horse' }, 401],
  [
    'sign-up: validation',
    'sign-up',
    { email: 'ada', password: 'correct horse' },
    422,
    createProblem('VAL_PAYLOAD', '/email'),
  ],
  [
    'sign-up: hashed, generated id, token',
    'sign-up',
    { email: 'ada@example.com', password: 'correct horse' },
    200,
    { email: 'ada@example.com', token: /^ey/ },
  ],
  [
    '`unique`',
    'sign-up',
    { email: 'ada@example.com', password: 'another horse' },
    409,
    createProblem('QRY_UNIQUE', '/email'),
  ],
  ['sign-in with another password', 'sign-in', { email: 'ada@example.com', password: 'wrong horse' }, 401],
  [
    "no `returnables`: all but what is hashed; the required field is the table's business",
    'sign-up-quietly',
    { id: 'r2', email: 'eve@example.com', password: 'x', balance: 1 },
    200,
    { _id: HEX, id: 'r2', email: 'eve@example.com', balance: 1, created_at: ISO, updated_at: ISO },
  ],
  [
    'a required field that is null answers 422 with a pointer',
    'sign-up-quietly',
    { id: 'r3', email: 'eva@example.com', password: 'x', balance: null },
    422,
    createProblem('QRY_NOT_NULL', '/balance'),
  ],
  ['protected: no token', 'me', {}, 401],
  ['a cached answer', 'cached', {}, 200, { count: 0 }],
  ['a write without cache keys', 'cached-add-silently', { id: 'k1' }, 200],
  ['... leaves the answer', 'cached', {}, 200, { count: 0 }],
  ['`invalidate_cache_keys`', 'cached-add', { id: 'k2' }, 200],
  ['... takes it away', 'cached', {}, 200, { count: 2 }],
  ['a scheduled resource is not reachable', 'cleanup', {}, 404],
];
