/**
 * The interface on queries, sentence by sentence, on the embedded database, MariaDB and MySQL: the same definitions,
 * requests and responses. Rows run in their order on one kernel for each database.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { skipWithout } from '../support/skip.js';

type Part = Readonly<Record<string, unknown>>;
const sql = (query: string, parameters: readonly unknown[] = [], more: Part = {}): Part => ({
  mode: 'QUERY',
  sql_query: { query, parameters, ...more },
});
const of = (id: string, actionables: Part | readonly Part[], rest: Part = {}): Part => ({
  id,
  resource: id,
  actionables: [actionables].flat().map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});
const COLUMNS = 'id, title, pages, price, lent, tags, printed';

const DEFINITIONS: readonly Part[] = [
  {
    _book: {
      id: { type: 'String', primary_key: true, max_length: 40 },
      title: { type: 'String', max_length: 100 },
      pages: { type: 'Number', optional: true },
      price: { type: 'Float', optional: true },
      lent: { type: 'Boolean', optional: true },
      tags: { type: 'JSON_ARRAY', optional: true },
      printed: { type: 'DateTime', optional: true },
      created_at: { type: 'DateTime', optional: true },
      updated_at: { type: 'DateTime', optional: true },
      deleted_at: { type: 'DateTime', optional: true },
    },
  },
  {
    _line: {
      id: { type: 'Number', primary_key: true, auto_increment: true },
      book: { type: 'String', max_length: 40, foreign_key: { of: '_book', key: 'id' } },
    },
  },
  of(
    'add',
    sql(`INSERT INTO books (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)`, COLUMNS.split(', '), {
      with_timestamps: true,
    }),
    {
      returnables: COLUMNS.split(', '),
    },
  ),
  of('get', sql(`SELECT ${COLUMNS} FROM books WHERE id = $1`, ['id'])),
  of('get-many', { ...sql('SELECT id FROM books WHERE id = $1', ['id']), result: 'many' }),
  of('must', { ...sql('SELECT id FROM books WHERE id = $1', ['id']), must_return_value: true }),
  of('twice', {
    ...sql('SELECT id FROM books WHERE title = $2 OR id = $1 OR title = $1 ORDER BY id', ['id', 'title']),
    result: 'many',
  }),
  of('longer', {
    ...sql('SELECT id FROM books WHERE pages > $1::bigint ORDER BY pages DESC LIMIT 2 OFFSET 0', ['pages']),
    result: 'many',
  }),
  of('among', { ...sql('SELECT id FROM books WHERE id = ANY($1) ORDER BY id', ['$PAYLOAD.ids']), result: 'many' }),
  of('like', { ...sql('SELECT id FROM books WHERE title ILIKE $1 ORDER BY id', ['title']), result: 'many' }),
  of(
    'sums',
    sql('SELECT count(*) AS books, sum(pages)::bigint AS pages, count(*) FILTER (WHERE lent) AS lent FROM books'),
  ),
  of(
    'cast',
    sql('SELECT id, pages::text AS pages, coalesce(price, 0)::float8 AS price FROM books WHERE id = $1', ['id']),
  ),
  of('quoted', sql("SELECT '$1 ? -- `' AS text, id FROM books /* $2 */ WHERE id = $1 -- $3", ['id'])),
  of(
    'retitle',
    sql('UPDATE books SET title = $2 WHERE id = $1 RETURNING id, title', ['id', 'title'], { with_timestamps: true }),
  ),
  of(
    'dated',
    sql('SELECT created_at IS NOT NULL AS made, updated_at >= created_at AS later FROM books WHERE id = $1', ['id']),
  ),
  of(
    'put',
    sql(
      'INSERT INTO books (id, title) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET title = excluded.title RETURNING id, title',
      ['id', 'title'],
    ),
  ),
  of('hide', sql('DELETE FROM books WHERE id = $1 RETURNING id', ['id'], { soft_delete: true })),
  of('hidden', sql('SELECT deleted_at IS NOT NULL AS hidden FROM books WHERE id = $1', ['id'])),
  of('remove', sql('DELETE FROM books WHERE id = $1 RETURNING id, title', ['id'])),
  of('line', sql('INSERT INTO lines (book) VALUES ($1)', ['book'])),
  of('add-many', {
    ...sql('INSERT INTO books (id, title) VALUES ($1, $2) RETURNING id', ['id', 'title'], { multi: true }),
    payload_validation: [
      { field: { books: { type: 'ARRAY', fields: { id: { type: 'STRING' }, title: { type: 'STRING' } } } } },
    ],
  }),
  of('both', [
    sql("UPDATE books SET title = 'half' WHERE id = 'b1'"),
    sql("INSERT INTO books (id, title) VALUES ($1, 'x')", ['id']),
  ]),
  of('joined', {
    ...sql('SELECT l.id AS line, b.title FROM lines l JOIN books b ON b.id = l.book ORDER BY l.id'),
    result: 'many',
  }),
];

type Row = readonly [says: string, path: string, body: Part, status: number, gives?: unknown];
const B1 = {
  id: 'b1',
  title: 'The Sea',
  pages: 300,
  price: 9.5,
  lent: true,
  tags: ['a', { b: 1 }],
  printed: '2026-01-01T00:00:00+01:00',
};
const STORED = { ...B1, printed: '2025-12-31T23:00:00.000Z' };
const B2 = { id: 'b2', title: 'a 100% \\ "lake"' };
const NONE = { pages: null, price: null, lent: null, tags: null, printed: null };
const toIdRows = (...ids: readonly string[]): Loose[] => ids.map((id) => ({ id }));

const ROWS: readonly Row[] = [
  ['an INSERT without RETURNING returns its row, in native values', 'add', B1, 200, STORED],
  ['a bare name that the payload lacks is NULL', 'add', B2, 200, { ...B2, ...NONE }],
  ['a value of another type is rejected', 'add', { id: 'b3', title: 't', pages: 'many' }, 422],
  ['a required column', 'add', { id: 'b3' }, 422],
  ['a text that is too long', 'add', { id: 'b3', title: 'x'.repeat(101) }, 422],
  ['a key that is taken', 'add', B1, 409],
  ['one row: an object', 'get', { id: 'b1' }, 200, STORED],
  ['no row: null', 'get', { id: 'none' }, 200, null],
  ['"result": "many"', 'get-many', { id: 'none' }, 200, []],
  ['`must_return_value`', 'must', { id: 'none' }, 404],
  ['`$1` may repeat and appear out of order', 'twice', { id: 'b2', title: 'The Sea' }, 200, toIdRows('b1', 'b2')],
  ['a cast of a parameter, LIMIT, OFFSET', 'longer', { pages: 10 }, 200, toIdRows('b1')],
  ['a list', 'among', { ids: ['b2', 'b1', 'x'] }, 200, toIdRows('b1', 'b2')],
  ['an empty list', 'among', { ids: [] }, 200, []],
  ['whatever the case', 'like', { title: 'the %' }, 200, toIdRows('b1')],
  ['counts are numbers', 'sums', {}, 200, { books: 2, pages: 300, lent: 1 }],
  ['casts of columns', 'cast', { id: 'b1' }, 200, { id: 'b1', pages: '300', price: 9.5 }],
  ['text in strings and comments is not a placeholder', 'quoted', { id: 'b1' }, 200, { text: '$1 ? -- `', id: 'b1' }],
  ['UPDATE ... RETURNING', 'retitle', { id: 'b1', title: 'Seas' }, 200, { id: 'b1', title: 'Seas' }],
  ['... of none', 'retitle', { id: 'none', title: 'Seas' }, 200, null],
  ['`with_timestamps`', 'dated', { id: 'b1' }, 200, { made: true, later: true }],
  ['ON CONFLICT: inserted', 'put', { id: 'p1', title: 'one' }, 200, { id: 'p1', title: 'one' }],
  ['ON CONFLICT: changed', 'put', { id: 'p1', title: 'two' }, 200, { id: 'p1', title: 'two' }],
  ['a foreign key', 'line', { book: 'none' }, 409],
  ['a number that the database generates', 'line', { book: 'b1' }, 200],
  ['a join', 'joined', {}, 200],
  ['`soft_delete`', 'hide', { id: 'p1' }, 200, { id: 'p1' }],
  ['... keeps the row', 'hidden', { id: 'p1' }, 200, { hidden: true }],
  ['DELETE ... RETURNING', 'remove', { id: 'p1' }, 200, { id: 'p1', title: 'two' }],
  [
    '`multi`',
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
  ['... so that the first changed nothing', 'twice', { id: 'x', title: 'half' }, 200, []],
];

for (const name of ['pglite', 'mariadb', 'mysql'] as const) {
  describe(`the interface: queries of SQL (${name})`, () => {
    let kernel!: TestKernel;
    before(async function () {
      if (name !== 'pglite') await skipWithout(this, startMysql(name));
      kernel = await startKernel({
        files: { 'definitions/books.json': DEFINITIONS },
        ...(name === 'pglite'
          ? { config: { connections: { main: { use: 'pglite', path: 'memory://' } } } }
          : { env: { MYSQL_URL: await createMysqlDatabase(name) } }),
      });
    });
    after(() => kernel?.close());

    for (const [rule, path, body, status, gives] of ROWS) {
      it(`${rule} (${path})`, async () => {
        const answer = await kernel.post(`/${path}`, body);
        expect(answer.status, answer.text).to.equal(status);
        if (gives !== undefined) expect(answer.body).to.deep.equal(gives);
      });
    }
  });
}
