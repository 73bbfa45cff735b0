/**
 * Provoked failures with a required recovery: a database that is lost during a write or while idle, a process that is
 * killed inside a chain, clocks that jump. docs/failures.md lists them all.
 */
import { expect } from 'chai';
import pg from 'pg';
import { createClient } from '../support/client.js';
import { startFaultProxy, type FaultProxy } from '../support/fault-proxy.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { waitUntilReady, serveAsChild } from '../support/serve.js';
import { waitUntil } from '../support/until.js';
import { skipTest } from '../support/skip.js';

const MODEL = { 'definitions/_note.json': { id: { type: 'Number', primary_key: true, auto_increment: true } } };
const INSERT = { query: 'INSERT INTO notes DEFAULT VALUES', parameters: [] };
/** Held by the test: a statement that requests it waits there. */
const LATCH = 4711;

const FILES = {
  ...MODEL,
  'definitions/a.json': [
    defineQueryResource('write', INSERT.query),
    defineQueryResource('count', 'SELECT count(*) AS n FROM notes'),
    {
      id: 'chain',
      resource: 'chain',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: INSERT },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: `SELECT pg_advisory_xact_lock(${LATCH})::text AS held`, parameters: [] },
        },
        { id: 3, mode: 'QUERY', sql_query: INSERT },
      ],
    },
  ],
};

describe('lost database', function () {
  const { start } = serveAsChild();
  let admin: pg.Client;
  let url = '';
  let proxy: FaultProxy;
  let kernel: TestKernel | undefined;

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
  });
  beforeEach(async () => {
    url = await createPostgresDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    const target = new URL(url);
    proxy = await startFaultProxy({ host: target.hostname, port: Number(target.port) });
    target.host = `127.0.0.1:${proxy.port}`;
    const main = { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: 1 };
    kernel = await startKernel({ files: FILES, config: { connections: { main } }, env: { DATABASE_URL: target.href } });
  });
  afterEach(async () => {
    await kernel?.close();
    await proxy?.close();
    await admin?.end();
  });

  const selectValue = async <T>(sql: string): Promise<T | undefined> => {
    const { rows } = await admin.query<{ value: T }>(sql);
    return rows[0]?.value;
  };
  const countStored = async (): Promise<number> => Number(await selectValue('SELECT count(*) AS value FROM notes'));
  const waiters = async (): Promise<number> =>
    Number(
      await selectValue(
        "SELECT count(*) AS value FROM pg_stat_activity WHERE wait_event = 'advisory' AND datname = current_database()",
      ),
    );

  it('before a write is acknowledged: returns that the outcome is unknown, and does not retry', async () => {
    const running = kernel as TestKernel;
    expect((await running.post('/write', {})).status).to.equal(200);
    proxy.muteResponses();
    const lost = running.post('/write', {});
    await waitUntil(async () => (await countStored()) === 2, 'both are stored');
    proxy.reset();
    const { status, headers, body } = await lost;
    // A caller must not repeat it without looking.
    expect([status, headers.get('retry-after'), body['code']]).to.deep.equal([503, null, 'QRY_UNAVAILABLE']);
    expect(body['detail']).to.contain('Whether the last statement took effect is not known');
    await proxy.passTraffic();
    await waitUntil(async () => (await running.post('/count', {})).status === 200, 'answers again');
    expect(await countStored()).to.equal(2);
  });

  it('while idle: the process continues, and serves the next requests', async () => {
    const running = kernel as TestKernel;
    expect((await running.post('/write', {})).status).to.equal(200);
    const countConnectionLosses = (): number =>
      running.log.filter(({ message }) => /database connection (lost|dropped)/.test(message)).length;
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    );
    await waitUntil(
      async () => countConnectionLosses() > 0 && (await running.request('GET', '/status/ready')).status === 200,
      'a loss, and ready',
    );
    expect((await running.post('/write', {})).status).to.equal(200);
    expect((await running.post('/count', {})).body).to.deep.equal({ n: 2 });
  });

  it('together with the process, killed between two statements of a chain: stores all of it or nothing', async () => {
    await kernel?.close();
    kernel = undefined;
    const env = { DATABASE_URL: url };
    const child = await start(FILES, { env });
    const client = await waitUntilReady(child);
    await admin.query(`SELECT pg_advisory_lock(${LATCH})`);
    const lost = client.post('/chain', {}).catch(() => 'lost');
    await waitUntil(async () => (await waiters()) === 1, 'one waits');
    await child.stop('SIGKILL');
    expect(await lost).to.equal('lost');
    await admin.query(`SELECT pg_advisory_unlock(${LATCH})`);
    await waitUntil(async () => (await waiters()) === 0, 'nobody waits');
    // Waits for a transaction that still holds the table.
    await admin.query('BEGIN');
    await admin.query('LOCK TABLE notes');
    await admin.query('COMMIT');
    expect(await countStored()).to.equal(0);
    const again = await start(FILES, { env });
    const { url: address } = await waitUntilReady(again);
    expect((await createClient(address).post('/chain', {})).status).to.equal(200);
    expect(await countStored()).to.equal(2);
  });
});

describe('clock that jumps', () => {
  const realNow = Date.now;
  afterEach(() => (Date.now = realNow));

  it('neither loses cached values and counters, nor stores them longer', async () => {
    const kernel = await startKernel({
      files: {
        'definitions/a.json': [
          defineReturnResource(
            'made',
            { made: '$GENERATOR.ULID' },
            { cacheable: { read_from_cache: true, duration: 600, cache_key: 'made' } },
          ),
          defineReturnResource('limited', 1, { rate_limit: { limit: 2, expires_after: 600 } }),
        ],
      },
    });
    try {
      const fetchMade = async (): Promise<unknown> => (await kernel.post('/made', {})).body['made'];
      const fetchLimitedStatus = async (): Promise<unknown> => (await kernel.post('/limited', {})).status;
      const first = await fetchMade();
      expect([await fetchLimitedStatus(), await fetchLimitedStatus()]).to.deep.equal([200, 200]);
      for (const hours of [1, -1, 24, -24]) {
        Date.now = () => realNow() + hours * 3_600_000;
        expect([await fetchMade(), await fetchLimitedStatus()], `${hours} h`).to.deep.equal([first, 429]);
      }
    } finally {
      await kernel.close();
    }
  });
});
