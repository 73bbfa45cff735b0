/**
 * Definitions served over HTTP on MariaDB and on MySQL: a small service (accounts, a read-then-write chain, rows that
 * are inserted or updated), and the comparisons of text with numbers that these servers are known for.
 */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { skipTest } from '../support/skip.js';

const query = (id: string, sql: string, parameters: readonly string[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: sql, parameters }, ...rest }],
});

const FILES = {
  'definitions/models/_user.json': {
    id: { type: 'String', primary_key: true, max_length: 26 },
    email: { type: 'String', max_length: 100, unique: true },
    password: { type: 'String', max_length: 200 },
    active: { type: 'Boolean', optional: true },
    tags: { type: 'JSON_OBJECT', optional: true, properties: { a: { type: 'String' } } },
    seen: { type: 'DateTime', optional: true },
    balance: { type: 'Number' },
  },
  'definitions/models/_entry.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    text: { type: 'String', max_length: 100 },
  },
  'definitions/resources.json': [
    query(
      'signup',
      'INSERT INTO users (id, email, password, active, tags, seen, balance) VALUES ($1, $2, $3, $4, $5, $6, 0)',
      ['id', 'email', 'password', '$PAYLOAD.active', '$PAYLOAD.tags', '$PAYLOAD.seen'],
      { hashables: [{ property: 'password', algorithm: 'BCRYPT', options: { rounds_cost: 4 } }] },
    ),
    query('find', 'SELECT id, email, active, tags, seen, balance FROM users WHERE email = $1', ['email']),
    query('entry', 'INSERT INTO entries (text) VALUES ($1)', ['text']),
    // Values of an aggregate without GROUP BY, in each form of an INSERT.
    ...Object.entries({
      next: 'INSERT INTO entries (id, text) SELECT coalesce(max(id), 0) + 1, $1 FROM entries WHERE text <> $1',
      'next-having': 'INSERT INTO entries (text) SELECT $1 FROM entries HAVING count(*) < 1000',
      'next-conflict':
        'INSERT INTO entries (id, text) SELECT coalesce(max(id), 0) + 1, $1 FROM entries ON CONFLICT (id) DO UPDATE SET text = EXCLUDED.text',
      'next-arms':
        'INSERT INTO entries (text) SELECT concat($1, max(id)) FROM entries UNION ALL SELECT concat($1, min(id)) FROM entries',
      'next-grouped': 'INSERT INTO entries (text) SELECT $1 FROM entries WHERE id = 1 GROUP BY id',
      'next-inner': 'INSERT INTO entries (text) SELECT concat($1, (SELECT max(id) FROM entries))',
    }).map(([id, text]) => query(id, text, ['$PAYLOAD.text'])),
    query('entry-by-id', 'SELECT id, text FROM entries WHERE id = $1', ['id']),
    {
      id: 'add',
      resource: 'add',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          no_op: true,
          sql_query: { query: 'SELECT balance FROM users WHERE id = $1', parameters: ['id'] },
          must_return_value: true,
        },
        {
          id: 2,
          mode: 'QUERY',
          depends_on: [
            { resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'balance', for: 'before' }] },
          ],
          sql_query: {
            query: 'UPDATE users SET balance = $2::bigint + $3::bigint WHERE id = $1 RETURNING id, balance',
            parameters: ['id', 'before', '$PAYLOAD.amount'],
          },
        },
      ],
      returnables: ['id', 'balance'],
    },
    {
      id: 'half',
      resource: 'half',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'UPDATE users SET balance = 99 WHERE id = $1', parameters: ['id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO entries (id, text) VALUES ($1, $2)', parameters: ['$PAYLOAD.entry', 'id'] },
        },
      ],
    },
  ],
};

for (const flavour of ['mariadb', 'mysql'] as const) {
  describe(`definitions on ${flavour}`, () => {
    let started: TestKernel | undefined;
    const kernel = (): TestKernel => {
      if (started === undefined) throw new Error('the kernel is not running');
      return started;
    };
    before(async function () {
      const server = await startMysql(flavour);
      if ('skip' in server) return skipTest(this, server.skip);
      // The default connection: nothing but the address is given.
      started = await startKernel({ files: FILES, env: { MYSQL_URL: await createMysqlDatabase(flavour) } });
    });
    after(() => started?.close());

    const ada = {
      id: 'u1',
      email: 'ada@x',
      password: 'secret',
      active: true,
      tags: { a: 'b' },
      seen: '2026-01-02T03:04:05+02:00',
    };

    it('write a row and return native values', async () => {
      const { status, body } = await kernel().post('/signup', ada);
      expect(status, JSON.stringify(body)).to.equal(200);
      const found = await kernel().post<readonly unknown[]>('/find', { email: 'ada@x' });
      expect(found.body).to.deep.equal({
        ...{ id: 'u1', email: 'ada@x', active: true, tags: { a: 'b' } },
        ...{ seen: '2026-01-02T01:04:05.000Z', balance: 0 },
      });
    });

    it('return 409 for a value that exists, and name the field', async () => {
      const { status, body, text } = await kernel().post('/signup', { ...ada, id: 'u2' });
      expect([status, body['code']]).to.deep.equal([409, 'QRY_UNIQUE']);
      expect(JSON.stringify(body['errors'])).to.contain('/email');
      expect(text).not.to.match(/Duplicate|ada@x/);
    });

    it('return a row with the number that the server generated', async () => {
      const made = await kernel().post('/entry', { text: 'one' });
      expect(made.body).to.deep.equal({ id: 1, text: 'one' });
    });

    it('run an INSERT of an aggregate again and again on one connection', async () => {
      const paths = ['next', 'next-having', 'next-conflict', 'next-arms', 'next-grouped', 'next-inner'];
      const failed: unknown[] = [];
      for (const path of paths)
        for (let n = 0; n < 3; n++) {
          const { status, text } = await kernel().post(`/${path}`, { text: `${path} ${n}` });
          if (status !== 200) failed.push([path, n, status, text]);
        }
      expect(failed).to.deep.equal([]);
    });

    it('find nothing by a number in a text column, nor by text in a number column', async () => {
      for (const email of [0, false, { email: 1 }, ['ada@x'], 'ADA@x', 'ada@x ']) {
        const { status, body } = await kernel().post('/find', { email });
        expect(status === 200 ? body : null, JSON.stringify(email)).to.equal(null);
      }
      for (const id of ['1abc', '1 OR 1=1', 'abc', '', [1], { id: 1 }, true, 1.5]) {
        const { status, body } = await kernel().post('/entry-by-id', { id });
        expect([status, body['code']], JSON.stringify(id)).to.deep.equal([422, 'QRY_BAD_VALUE']);
        expect(JSON.stringify(body['errors'])).to.contain('/id');
      }
      expect((await kernel().post('/entry-by-id', { id: '1' })).body).to.deep.equal({ id: 1, text: 'one' });
    });

    it('lose no update of a chain that reads and writes', async function () {
      const amounts = Array.from({ length: 50 }, (_, n) => n + 1);
      const answers = await Promise.all(amounts.map((amount) => kernel().post('/add', { id: 'u1', amount })));
      expect(answers.map(({ status }) => status)).to.deep.equal(amounts.map(() => 200));
      expect((await kernel().post('/find', { email: 'ada@x' })).body['balance']).to.equal(1275);
    });

    it('roll back a chain whose second half is rejected', async () => {
      const { status } = await kernel().post('/half', { id: 'u1', entry: 1 });
      expect(status).to.equal(409);
      expect((await kernel().post('/find', { email: 'ada@x' })).body['balance']).to.equal(1275);
    });

    it('read no text as a number next to a function, a cast or a sum, nor in a nested statement', async () => {
      const defineConditionQuery = (id: string, condition: string): object =>
        query(id, `SELECT a.id FROM thing a WHERE ${condition} LIMIT 1`, ['$PAYLOAD.v']);
      const files = {
        'definitions/models/_thing.json': {
          id: { type: 'Number', primary_key: true },
          name: { type: 'String', max_length: 20, optional: true },
          n: { type: 'Number', optional: true },
        },
        'definitions/models/_label.json': { id: { type: 'String', max_length: 20, primary_key: true } },
        'definitions/resources.json': [
          query('add', 'INSERT INTO thing (id, name, n) VALUES (0, $1, 0)', ['$PAYLOAD.v']),
          defineConditionQuery('length', 'length(a.name) = $1'),
          defineConditionQuery('coalesced', '$1 = coalesce(a.n, 0)'),
          defineConditionQuery('sum', 'a.n + 1 - 1 = $1'),
          defineConditionQuery('cast', 'a.name::int = $1'),
          defineConditionQuery('between', 'a.n BETWEEN 0 AND $1'),
          defineConditionQuery('in', 'abs(n) IN (7, $1)'),
          defineConditionQuery('inner', "id = $1 AND NOT EXISTS (SELECT 1 FROM label WHERE id = 'x')"),
          defineConditionQuery('lower', 'lower(a.name) = $1'),
          defineConditionQuery(
            'outer',
            'EXISTS (SELECT 1 FROM label l WHERE l.id <> $1) OR a.id = 0 AND upper(name) <> $1',
          ),
        ],
      };
      const running = await startKernel({ files, env: { MYSQL_URL: await createMysqlDatabase(flavour) } });
      try {
        expect((await running.post('/add', { v: '' })).status).to.equal(200);
        for (const id of ['length', 'coalesced', 'sum', 'cast', 'between', 'in', 'inner']) {
          const rejected = await running.post(`/${id}`, { v: 'abc' });
          expect([rejected.status, rejected.body['code']], id).to.deep.equal([422, 'QRY_BAD_VALUE']);
          for (const v of [0, '0']) {
            const found = await running.post(`/${id}`, { v });
            expect([found.status, found.body?.['id']], `${id} ${found.text}`).to.deep.equal([200, 0]);
          }
        }
        const nothing = await running.post('/lower', { v: 0 });
        expect([nothing.status, nothing.body]).to.deep.equal([200, null]);
        expect((await running.post('/outer', { v: 'abc' })).body['id']).to.equal(0);
      } finally {
        await running.close();
      }
    });

    it('do not start with rows that could never be found again', async () => {
      const models = {
        'definitions/models/_keyless.json': { text: { type: 'String' } },
        'definitions/models/_kept.json': { id: { type: 'Number', primary_key: true }, text: { type: 'String' } },
      };
      const started = async (sql: string, parameters: string[]): Promise<unknown> => {
        const files = { ...models, 'definitions/resources.json': [query('no', sql, parameters)] };
        const env = { MYSQL_URL: await createMysqlDatabase(flavour) };
        return startKernel({ files, env }).then(
          async (running) => running.close().then(() => 'started'),
          (thrown: { code?: unknown }) => thrown.code,
        );
      };
      const rejected = 'QRY_NOT_TRANSLATED';
      const change = 'UPDATE keyless SET text = $1 WHERE true RETURNING text';
      expect(await started(change, ['$PAYLOAD.text'])).to.equal(rejected);
      const rekey = 'UPDATE kept SET id = $1 WHERE text = $2 RETURNING id';
      expect(await started(rekey, ['$PAYLOAD.id', '$PAYLOAD.text'])).to.equal(rejected);
      const insert = 'INSERT INTO keyless (text) VALUES ($1) RETURNING text';
      expect(await started(insert, ['$PAYLOAD.text'])).to.equal(flavour === 'mysql' ? rejected : 'started');
    });

    it('do not start with a statement that has no equivalent, and name the alternative', async () => {
      const files = { 'definitions/resources.json': [query('no', 'SELECT $1::tsvector AS v', ['v'])] };
      const env = { MYSQL_URL: await createMysqlDatabase(flavour) };
      const error = await startKernel({ files, env }).then(
        () => null,
        (thrown: unknown) => thrown as { code?: unknown; params?: Record<string, unknown> },
      );
      expect(error?.code).to.equal('QRY_NOT_TRANSLATED');
      expect(error?.params?.['what']).to.contain('tsvector');
    });
  });
}
