/** Floods on a shared resource: connections that wait for passwords. With a real server and a small pool. */
import { expect } from 'chai';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource } from '../support/project.js';
import { skipTest } from '../support/skip.js';

const BCRYPT = { algorithm: 'BCRYPT' };
const user = (id: string, actionables: readonly object[]): object => ({ id, resource: id, actionables });
const statement = (query: string, parameters: readonly string[] = []): object => ({
  mode: 'QUERY',
  sql_query: { query, parameters },
});

const FILES = {
  'definitions/_user.json': {
    id: { type: 'Number', primary_key: true },
    password: { type: 'String' },
    seen: { type: 'Number', optional: true },
  },
  'definitions/a.json': [
    user('sign-up', [
      {
        id: 1,
        ...statement('INSERT INTO users (id, password) VALUES ($1, $2)', ['$PAYLOAD.id', '$PAYLOAD.password']),
        hashables: [{ property: 'password', ...BCRYPT, options: { rounds_cost: 10 } }],
      },
    ]),
    // The second statement opens a transaction of the two, with the comparison in between.
    user('sign-in', [
      {
        id: 1,
        ...statement('SELECT id, password FROM users WHERE id = $1', ['$PAYLOAD.id']),
        verify_hashables: [{ property: 'password', ...BCRYPT }],
      },
      { id: 2, ...statement('UPDATE users SET seen = 1 WHERE id = $1', ['$PAYLOAD.id']) },
    ]),
    defineQueryResource(
      'copy',
      'INSERT INTO users (id, password) SELECT n, password FROM users, generate_series(2, 20) AS n WHERE users.id = 1',
    ),
    defineQueryResource('write', 'UPDATE users SET seen = 2 WHERE id = $1', ['$PAYLOAD.id']),
  ],
};

describe('attacks: small bodies that cause much work', () => {
  it('rejects many fields with many items before they are processed', async () => {
    const items = { items: { type: 'ARRAY', fields: { a: { type: 'STRING', optional: true } } } };
    const sql_query = { query: 'SELECT $1::text AS a', parameters: ['a'], multi: true };
    const wide = user('wide', [{ id: 1, mode: 'QUERY', payload_validation: [{ field: items }], sql_query }]);
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    const kernel = await startKernel({ files: { 'definitions/a.json': [wide] }, config: { connections } });
    const postWide = (fields: number, count: number) => {
      const beside = Object.fromEntries(Array.from({ length: fields }, (_, i) => [`k${i}`, 0]));
      return kernel.post('/wide', { ...beside, items: Array.from({ length: count }, () => ({})) });
    };
    const { status, body } = await postWide(300, 1000);
    expect([status, body['code']]).to.deep.equal([413, 'QRY_TOO_WIDE']);
    for (const [fields, count] of [
      [300, 20],
      [0, 500],
    ] as const) {
      expect((await postWide(fields, count)).status).to.equal(200);
    }
    await kernel.close();
  }).timeout(60_000);
});

describe('attacks: floods', () => {
  let kernel: TestKernel;
  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    // Six connections: two for reads, four for everything else.
    const connections = { main: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 6 } };
    kernel = await startKernel({
      files: FILES,
      config: { connections },
      env: { DATABASE_URL: await createPostgresDatabase() },
    });
    await kernel.post('/sign-up', { id: 1, password: 'secret' });
    expect((await kernel.post('/copy')).status).to.equal(200);
  });
  after(() => kernel?.close());

  it('leave connections for others while sign-ins wait for their hash, and all get a response', async () => {
    let over = 0;
    const flood = Array.from({ length: 16 }, async (_, i) => {
      const { status } = await kernel.post('/sign-in', { id: i + 2, password: i % 2 === 0 ? 'secret' : 'wrong' });
      over++;
      return status;
    });
    await Promise.race(flood);
    const { status } = await kernel.post('/write', { id: 1 });
    const overBefore = over;
    const statuses = await Promise.all(flood);
    expect(status).to.equal(200);
    expect(overBefore, 'sign-ins that ended before the write did').to.be.at.most(6);
    expect(statuses).to.deep.equal(flood.map((_, i) => (i % 2 === 0 ? 200 : 401)));
  });
});
