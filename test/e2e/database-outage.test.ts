/**
 * A server whose connections are cut while it serves: it stays alive, reports when it cannot serve, and recovers by
 * itself. Slow statements and a pool that is exhausted for too long return 503 with Retry-After.
 */
import { expect } from 'chai';
import pg from 'pg';
import { isOutcomeUnknown } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const resource = (id: string, query: string): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query, parameters: [] } }],
  returnables: ['id'],
});

const FILES = {
  'definitions/models/_note.json': { id: { type: 'Number', primary_key: true, auto_increment: true } },
  'definitions/resources.json': [
    resource('read', 'SELECT count(*) AS id FROM notes'),
    resource('write', 'INSERT INTO notes DEFAULT VALUES'),
    resource('slow', 'SELECT count(pg_sleep(30)) AS id FROM notes'),
    resource('slow-write', 'UPDATE notes SET id = id WHERE length(pg_sleep(30)::text) = 0'),
  ],
};

describe('database that becomes unavailable', () => {
  let kernel: TestKernel;
  let admin: pg.Client;
  let name = '';

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = await createPostgresDatabase();
    name = new URL(url).pathname.slice(1);
    admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    const main = { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 4, pool_wait: 0.2, statement_timeout: 1 };
    kernel = await startKernel({ files: FILES, config: { connections: { main } }, env: { DATABASE_URL: url } });
    expect((await kernel.post('/write', {})).status).to.equal(200);
  });
  after(async () => {
    await kernel?.close();
    await admin?.end();
  });

  const cut = (): Promise<unknown> =>
    admin.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1`, [name]);

  const readiness = async (): Promise<number> => (await kernel.request('GET', '/status/ready')).status;

  it('serves again after all connections were closed, idle or in use', async function () {
    for (let round = 0; round < 5; round++) {
      const atWork = Promise.all(Array.from({ length: 20 }, (_, n) => kernel.post(n % 2 ? '/write' : '/read', {})));
      await cut();
      for (const { status, headers, body } of await atWork) {
        expect([200, 503]).to.include(status);
        const again = isOutcomeUnknown(body) ? null : '1';
        if (status === 503)
          expect([headers.get('retry-after'), body['code']]).to.deep.equal([again, 'QRY_UNAVAILABLE']);
      }
      await waitUntil(async () => (await kernel.post('/read', {})).status === 200);
      expect((await kernel.post('/write', {})).status).to.equal(200);
      expect(await readiness()).to.equal(200);
    }
  });

  it('is not ready while the database rejects it, and ready once it does not', async function () {
    await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
    await cut();
    await waitUntil(async () => (await readiness()) === 503);
    expect((await kernel.request('GET', '/status/live')).status).to.equal(200);
    const rejected = await kernel.post('/read', {});
    expect([rejected.status, rejected.headers.get('retry-after')]).to.deep.equal([503, '1']);
    await admin.query(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    await waitUntil(async () => (await readiness()) === 200);
    expect((await kernel.post('/read', {})).status).to.equal(200);
  });

  it('cancels a statement after its timeout, and a wait for a connection after its own', async function () {
    const slow = Array.from({ length: 6 }, () => kernel.post('/slow-write', {}));
    const answers = await Promise.all(slow);
    expect(new Set(answers.map(({ body }) => body['code']))).to.deep.equal(new Set(['QRY_TIMEOUT', 'QRY_UNAVAILABLE']));
    for (const { status, headers, body } of answers) {
      expect([status, headers.get('retry-after')]).to.deep.equal([503, isOutcomeUnknown(body) ? null : '1']);
    }
    const read = await kernel.post('/slow', {});
    expect([read.status, read.body['code']]).to.deep.equal([503, 'QRY_TIMEOUT']);
    expect((await kernel.post('/write', {})).status).to.equal(200);
  });
});
