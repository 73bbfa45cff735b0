/**
 * Statements that write, over real HTTP on both databases: unique values, timestamps, soft deletion, full-text search.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import type { Loose } from '../support/client.js';
import { describeOnBothDatabases, startKernel } from '../support/kernel.js';
import { defineQueryResource } from '../support/project.js';

const key = { type: 'Number', primary_key: true, auto_increment: true };

const FILES = {
  'definitions/_user.json': {
    id: key,
    email: { type: 'String', max_length: 40 },
    first: { type: 'String', optional: true },
    last: { type: 'String', optional: true },
  },
  'definitions/_seat.json': {
    row: { type: 'Number' },
    place: { type: 'Number' },
    unique: [['row', 'place']],
  },
  'definitions/_note.json': { id: key, text: { type: 'String' } },
  'definitions/_page.json': { id: key, body: { type: 'String', fts: true } },
  'definitions/resources.json': [
    defineQueryResource('sign-up', '', [], {
      sql_query: {
        query: 'INSERT INTO users (email, first, last) VALUES ($1, $2, $3)',
        parameters: ['$PAYLOAD.mail', 'first', 'last'],
        unique: ['email', ['first', 'last']],
      },
    }),
    defineQueryResource('users', 'SELECT count(*) AS n FROM users WHERE email = $1', ['$PAYLOAD.mail']),
    defineQueryResource('seat', 'INSERT INTO seats (row, place) VALUES ($1, $2)', ['row', 'place']),
    defineQueryResource('note', '', [], {
      sql_query: { query: 'INSERT INTO notes (text) VALUES ($1)', parameters: ['text'], with_timestamps: true },
    }),
    defineQueryResource('edit', '', [], {
      sql_query: {
        query: 'UPDATE notes SET text = $2 WHERE id = $1 RETURNING *',
        parameters: ['$PAYLOAD.id', 'text'],
        with_timestamps: true,
      },
    }),
    defineQueryResource('edit-silently', 'UPDATE notes SET text = $2 WHERE id = $1', ['$PAYLOAD.id', 'text']),
    defineQueryResource('forget', '', [], {
      sql_query: { query: 'DELETE FROM notes WHERE id = $1', parameters: ['$PAYLOAD.id'], soft_delete: true },
    }),
    defineQueryResource('notes', 'SELECT id, deleted_at FROM notes WHERE id = $1', ['$PAYLOAD.id']),
    defineQueryResource('upsert', 'INSERT INTO users (email) VALUES ($1) ON CONFLICT DO NOTHING', ['$PAYLOAD.mail']),
    defineQueryResource('page', 'INSERT INTO pages (body) VALUES ($1) RETURNING id', ['body']),
    defineQueryResource(
      'find',
      `SELECT count(*) AS n FROM pages WHERE to_tsvector('english', body) @@ plainto_tsquery('english', $1)`,
      ['$PAYLOAD.words'],
    ),
    defineQueryResource('indexes', 'SELECT indexdef FROM pg_indexes WHERE tablename = $1 ORDER BY 1', [
      '$PAYLOAD.table',
    ]),
  ],
};

const problem = ({ status, body }: { status: number; body: Loose }): unknown[] => [
  status,
  body['code'],
  ...((body['errors'] as Loose[] | undefined) ?? []).map(({ pointer }) => pointer),
];

describeOnBothDatabases('statements that write', { files: FILES }, (kernel) => {
  const post = <T = Loose>(path: string, body?: unknown) => kernel().post<T>(path, body);

  describe('unique', () => {
    it('accepts one of fifty parallel writes of a value, and rejects the others by the name of the payload field', async () => {
      const all = await Promise.all(Array.from({ length: 50 }, () => post('/sign-up', { mail: 'one@x.co' })));
      const rejected = all.filter(({ status }) => status !== 200);
      expect(rejected).to.have.length(49);
      for (const answer of rejected) expect(problem(answer)).to.deep.equal([409, 'QRY_UNIQUE', '/mail']);
      expect(rejected[0]?.text).not.to.match(/one@x\.co|users|_unique|email/);
      expect((await post('/users', { mail: 'one@x.co' })).body).to.deep.equal({ n: 1 });
    });

    it('treats columns of an inner list as a combination', async () => {
      const name = { first: 'Ada', last: 'L' };
      expect((await post('/sign-up', { mail: 'a@x.co', ...name })).status).to.equal(200);
      expect((await post('/sign-up', { mail: 'b@x.co', first: 'Ada', last: 'B' })).status).to.equal(200);
      expect(problem(await post('/sign-up', { mail: 'c@x.co', ...name }))).to.deep.equal([
        409,
        'QRY_UNIQUE',
        '/first',
        '/last',
      ]);
    });

    it('of a model applies without a statement that requests it', async () => {
      expect((await post('/seat', { row: 1, place: 1 })).status).to.equal(200);
      expect((await post('/seat', { row: 1, place: 2 })).status).to.equal(200);
      expect(problem(await post('/seat', { row: 1, place: 2 }))).to.deep.equal([409, 'QRY_UNIQUE', '/row', '/place']);
    });

    it('returns null for ON CONFLICT DO NOTHING', async () => {
      expect((await post('/upsert', { mail: 'twice@x.co' })).body).to.include({ email: 'twice@x.co' });
      const again = await post('/upsert', { mail: 'twice@x.co' });
      expect([again.status, again.body]).to.deep.equal([200, null]);
    });
  });

  describe('with_timestamps and soft_delete', () => {
    it('set both timestamps of an INSERT to that of the request, and one of them in an UPDATE', async () => {
      const before = Date.now();
      const made = (await post('/note', { text: 'a' })).body;
      expect(made['created_at']).to.equal(made['updated_at']);
      expect(Date.parse(String(made['created_at']))).to.be.within(before, Date.now());
      const edited = (await post('/edit', { id: made['id'], text: 'b' })).body;
      expect(edited).to.include({ text: 'b', created_at: made['created_at'] });
      expect(Date.parse(String(edited['updated_at']))).to.be.at.least(Date.parse(String(made['updated_at'])));
    });

    it('keep the row of a DELETE and set its timestamp; without RETURNING the result is null, as for an UPDATE', async () => {
      const { id } = (await post('/note', { text: 'gone' })).body;
      expect((await post('/notes', { id })).body).to.deep.equal({ id, deleted_at: null });
      const gone = await post('/forget', { id });
      expect([gone.status, gone.body]).to.deep.equal([200, null]);
      const { deleted_at } = (await post('/notes', { id })).body;
      expect(deleted_at).to.match(/^\d{4}-\d\d-\d\dT.*Z$/);
      expect((await post('/edit-silently', { id, text: 'x' })).body).to.equal(null);
    });
  });

  it('finds words through the index of the model', async () => {
    await post('/page', { body: 'Running through the fields' });
    expect((await post('/find', { words: 'run field' })).body).to.deep.equal({ n: 1 });
    expect((await post('/find', { words: 'walk' })).body).to.deep.equal({ n: 0 });
    const indexes = (await post<Loose[]>('/indexes', { table: 'pages' })).body;
    expect(JSON.stringify(indexes)).to.match(/USING gin \(to_tsvector\('english'::regconfig, body\)\)/);
  });
});

describe('model with a rule that its rows violate', () => {
  it('prevents the start with the names of table and columns, and starts when the rows are removed', async function () {
    const folder = await mkdtemp(join(tmpdir(), 'lintel-unique-'));
    const config = { connections: { main: { use: 'pglite', path: join(folder, 'data') } } };
    const insert = { query: 'INSERT INTO people (name) VALUES ($1)', parameters: ['name'] };
    const start = (rest: object): ReturnType<typeof startKernel> =>
      startKernel({
        config,
        files: {
          'definitions/_people.json': { id: key, name: { type: 'String' } },
          'definitions/a.json': [
            defineQueryResource('add', '', [], { sql_query: { ...insert, ...rest } }),
            defineQueryResource('merge', 'DELETE FROM people WHERE id > 1'),
          ],
        },
      });
    try {
      const first = await start({});
      for (const name of ['Ada', 'Ada']) await first.post('/add', { name });
      await first.close();
      const rejected: unknown = await start({ unique: ['name'] }).catch((error: unknown) => error);
      expect(rejected).to.be.instanceOf(BootError);
      expect((rejected as BootError).params['detail']).to.match(/table people .* same name,/);
      const again = await start({});
      await again.post('/merge');
      await again.close();
      const last = await start({ unique: ['name'] });
      expect(problem(await last.post('/add', { name: 'Ada' }))).to.deep.equal([409, 'QRY_UNIQUE', '/name']);
      await last.close();
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
