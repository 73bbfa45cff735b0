/**
 * Cached results with a real database: committed values are never hidden by earlier computations, a rollback removes
 * nothing, one request computes for all that wait. In memory and on a real Redis.
 */
import { expect } from 'chai';
import pg from 'pg';
import { PLACES } from '../support/caches.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { waitUntil } from '../support/until.js';
import { skipTest } from '../support/skip.js';

const query = (id: number, text: string, parameters: readonly unknown[] = [], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: text, parameters },
  ...rest,
});
const read = (cache_key?: string): object => ({
  cacheable: { read_from_cache: true, duration: 600, ...(cache_key !== undefined && { cache_key }) },
});
const removing = (...names: string[]): object => ({ cacheable: { invalidate_cache_keys: names } });
const SET = 'UPDATE notes SET text = $1 WHERE id = $2 RETURNING text';
const GET = 'SELECT text FROM notes WHERE id = $1';
const SLOW = 'SELECT text, pg_sleep(0.5)::text AS slept, $2::text AS made FROM notes WHERE id = $1';
const NAME = 'note $PAYLOAD.id';

const FILES = {
  'definitions/_note.json': {
    id: { type: 'Number', primary_key: true },
    text: { type: 'String', unique: true },
    secret: { type: 'String', secret: true, optional: true },
  },
  'definitions/resources.json': [
    defineQueryResource(
      'add',
      'INSERT INTO notes (id, text, secret) VALUES ($1, $2, $3)',
      ['$PAYLOAD.id', '$PAYLOAD.text', { literal: 'hidden' }],
      removing(NAME),
    ),
    defineQueryResource('add-quietly', 'INSERT INTO notes (id, text, secret) VALUES ($1, $2, $3)', [
      '$PAYLOAD.id',
      '$PAYLOAD.text',
      { literal: 'hidden' },
    ]),
    defineQueryResource('get', GET, ['$PAYLOAD.id'], read(NAME)),
    defineQueryResource('list', 'SELECT id, text, secret FROM notes WHERE id >= $1 ORDER BY id', ['$PAYLOAD.id'], {
      returnables: ['id', 'text'],
      ...read('list'),
    }),
    defineQueryResource(
      'list-fresh',
      'SELECT id, text, secret FROM notes WHERE id >= $1 ORDER BY id',
      ['$PAYLOAD.id'],
      {
        returnables: ['id', 'text'],
      },
    ),
    {
      id: 'found',
      resource: 'found',
      actionables: [query(1, GET, ['$PAYLOAD.id'], { must_return_value: true })],
      ...read('found'),
    },
    defineQueryResource('slow', SLOW, ['$PAYLOAD.id', '$GENERATOR.ULID'], read(NAME)),
    defineQueryResource(
      'slow-to-fail',
      'SELECT pg_sleep(0.3)::text AS a, 1 / (length(text) - 5) AS b FROM notes WHERE id = $1',
      ['$PAYLOAD.id'],
      read('failing'),
    ),
    defineQueryResource('set', SET, ['$PAYLOAD.text', '$PAYLOAD.id'], removing(NAME)),
    {
      id: 'set-here',
      resource: 'set-here',
      actionables: [query(1, SET, ['$PAYLOAD.text', '$PAYLOAD.id'], removing(NAME))],
    },
    {
      id: 'set-two',
      resource: 'set-two',
      actionables: [
        query(1, SET, ['$PAYLOAD.text', '$PAYLOAD.id'], removing(NAME)),
        query(2, SET, ['$PAYLOAD.other', '$PAYLOAD.second']),
      ],
    },
    {
      id: 'set-then-fail',
      resource: 'set-then-fail',
      transaction: false,
      actionables: [
        query(1, SET, ['$PAYLOAD.text', '$PAYLOAD.id']),
        query(2, GET, [{ literal: '-1' }], { must_return_value: true }),
      ],
      ...removing(NAME),
    },
    {
      id: 'inner',
      resource: 'inner',
      actionables: [
        query(1, 'SELECT id, text, secret FROM notes WHERE id = $1', ['$PAYLOAD.id'], read('inner $PAYLOAD.id')),
        query(2, SET, ['$PAYLOAD.text', '$PAYLOAD.id'], removing('inner $PAYLOAD.id')),
        {
          id: 3,
          mode: 'RETURN',
          value: { before: '$PAYLOAD.before', secret: '$PAYLOAD.secret' },
          main_returnable: true,
          depends_on: [
            {
              resource_id: 'self',
              action_ids: [1],
              extract_response_for: [
                { extract: 'self_', for: 'before' },
                { extract: 'self_', for: 'secret' },
              ],
            },
          ],
        },
      ],
    },
    {
      id: 'each',
      resource: 'each',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          payload_validation: [{ field: { ids: { type: 'ARRAY' } } }],
          sql_query: {
            query: 'SELECT id, text, $2::text AS made FROM notes WHERE id = $1',
            parameters: ['id', '$GENERATOR.ULID'],
            multi: true,
          },
          ...read('each'),
        },
      ],
    },
    defineReturnResource('alive', 1),
  ],
};

for (const place of PLACES) {
  describe(`cached results and writes (${place.name})`, function () {
    let kernel: TestKernel;
    let admin: pg.Client;
    let ids = 0;

    before(async function () {
      const [made, server] = [await place.make(), await startPostgres()];
      if ('skip' in made) return skipTest(this, made.skip);
      if ('skip' in server) return skipTest(this, server.skip);
      const url = await createPostgresDatabase();
      const connections = { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } };
      const env = { ...made.env, DATABASE_URL: url };
      kernel = await startKernel({ files: FILES, config: { ...made.config, connections }, env });
      admin = new pg.Client({ connectionString: url });
      await admin.connect();
    });
    after(async () => {
      await admin?.end();
      await kernel?.close();
    });

    const ok = async (id: string, body: object): Promise<Record<string, unknown>> => {
      const answer = await kernel.post<Record<string, unknown>>(`/${id}`, body);
      expect(answer.status, answer.text).to.equal(200);
      return answer.body;
    };
    /** A new note, seen once. */
    async function noted(): Promise<number> {
      const id = ++ids;
      await ok('add', { id, text: `first ${id}` });
      expect(await ok('get', { id })).to.deep.equal({ text: `first ${id}` });
      return id;
    }
    const change = (id: number, text: string): Promise<unknown> =>
      admin.query('UPDATE notes SET text = $1 WHERE id = $2', [text, id]);
    const readText = async (id: number): Promise<unknown> => (await ok('get', { id }))['text'];

    it('returns the cached result until it is removed', async () => {
      for (const way of ['set', 'set-here']) {
        const id = await noted();
        await change(id, `behind ${id}`);
        expect(await readText(id)).to.equal(`first ${id}`);
        await ok(way, { id, text: `by ${way}` });
        expect(await readText(id)).to.equal(`by ${way}`);
      }
    });

    it('removes nothing when the transaction is rolled back, and everything once it is committed', async () => {
      const [id, second] = [await noted(), await noted()];
      await change(id, `behind ${id}`);
      const { status } = await kernel.post('/set-two', { id, text: `two ${id}`, other: `two ${id}`, second });
      expect(status).to.equal(409);
      expect(await readText(id), 'still the entry').to.equal(`first ${id}`);
      await ok('set-two', { id, text: `two ${id}`, other: `other ${id}`, second });
      expect(await readText(id)).to.equal(`two ${id}`);
    });

    it('removes what a failed request committed before it failed', async () => {
      const id = await noted();
      expect((await kernel.post('/set-then-fail', { id, text: `half ${id}` })).status).to.equal(404);
      await waitUntil(async () => (await readText(id)) === `half ${id}`, 'the old text is removed');
    });

    it('stores no error response', async () => {
      const id = ++ids;
      expect((await kernel.post('/found', { id })).status).to.equal(404);
      await ok('add-quietly', { id, text: `late ${id}` });
      expect(await ok('found', { id })).to.deep.equal({ text: `late ${id}` });
    });

    it('stores no result that was computed before a change and finished after it', async () => {
      const id = ++ids;
      await ok('add', { id, text: `old ${id}` });
      const early = ok('slow', { id });
      await waitUntil(async () => (await running()) > 0, 'the statement runs');
      await ok('set', { id, text: `new ${id}` });
      expect((await early)['text']).to.equal(`old ${id}`);
      expect((await ok('slow', { id }))['text']).to.equal(`new ${id}`);
    });

    const running = async (): Promise<number> => {
      const { rows } = await admin.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      );
      return rows[0]?.n ?? 0;
    };

    it('computes once for all concurrent requests', async () => {
      const id = ++ids;
      await ok('add', { id, text: `busy ${id}` });
      const answers = await Promise.all(Array.from({ length: 20 }, () => ok('slow', { id })));
      expect(new Set(answers.map(({ made }) => made)).size).to.equal(1);
      expect((await ok('slow', { id }))['made']).to.equal(answers[0]?.['made']);
    });

    it('responds to each request that waits for a failed one, and stores nothing of it', async () => {
      const id = ++ids;
      await ok('add', { id, text: 'fives' });
      const statuses = await Promise.all(
        Array.from({ length: 3 }, async () => (await kernel.post('/slow-to-fail', { id })).status),
      );
      expect(statuses.every((status) => status >= 400)).to.equal(true);
      await change(id, 'longer');
      expect((await ok('slow-to-fail', { id }))['b']).to.equal(1);
    });

    it('returns lists of rows byte for byte as without a cache, and without secrets', async () => {
      const from = ids + 1;
      for (let n = 0; n < 3; n++) await ok('add', { id: ++ids, text: `row "${n}" é` });
      const fresh = (await kernel.post('/list-fresh', { id: from })).text;
      expect(fresh).to.include('row').and.not.include('secret');
      for (let n = 0; n < 3; n++) expect((await kernel.post('/list', { id: from })).text).to.equal(fresh);
    });

    it('stores the result of an actionable without secret fields, outside the transaction around it', async () => {
      const id = await noted();
      const first = await ok('inner', { id, text: `one ${id}` });
      expect(first['before']).to.deep.equal({ id, text: `first ${id}` });
      expect(JSON.stringify(first)).not.to.include('hidden');
      // Removed by the write after it, so read again; then changed directly, so not.
      expect((await ok('inner', { id, text: `two ${id}` }))['before']).to.deep.equal({ id, text: `one ${id}` });
    });

    it('stores results of lists by all of their items', async () => {
      const [one, two] = [await noted(), await noted()];
      const readEach = async (...list: object[]): Promise<unknown> => (await kernel.post('/each', { ids: list })).body;
      const both = await readEach({ id: one }, { id: two });
      expect(both).to.have.length(2);
      expect(await readEach({ id: one }, { id: two })).to.deep.equal(both);
      expect(await readEach({ id: two }, { id: one })).not.to.deep.equal(both);
    });

    it('returns to each of 60 concurrent callers only its own data', async () => {
      const known = [await noted(), await noted(), await noted()];
      const asked = Array.from({ length: 60 }, (_, n) => known[n % 3] ?? 0);
      const texts = await Promise.all(asked.map(readText));
      expect(texts).to.deep.equal(asked.map((id) => `first ${id}`));
    });
  });
}
