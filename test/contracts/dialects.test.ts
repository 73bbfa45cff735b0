/**
 * Runs the dialect contract against both dialects, and cases of a server (timeouts, lost connections, rejected logins)
 * or of an embedded engine (locks on its folder).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import pg from 'pg';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import postgres from '../../plugins/dialects/postgres/runtime.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { waitUntil } from '../support/until.js';
import { dialectContract } from './dialect.contract.js';
import { openDialect } from './dialect-open.js';
import { testDialectServer } from './dialect-server.js';
import { catchFault, createRunner, defineColumn, defineTable, id, type OpenDialect } from './dialect-support.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import { SERIALIZABLE } from '../../plugins/dialects/kind.js';
import { startStopwatch } from '../support/stopwatch.js';

dialectContract('pglite', () => openDialect(pglite, { path: 'memory://' }));

dialectContract('postgres', async () => {
  const server = await startPostgres();
  return 'skip' in server ? server : openDialect(postgres, { url: await createPostgresDatabase() });
});

async function onServer(url: string, sql: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

const OTHERS = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lintel'`;

describe('dialect postgres, with a server', () => {
  const { url, open } = testDialectServer({
    runtime: postgres,
    async make() {
      const server = await startPostgres();
      return 'skip' in server ? server : createPostgresDatabase();
    },
    end: async (at) => void (await onServer(at, `SELECT pg_terminate_backend(pid) ${OTHERS}`)),
    connections: (at) => onServer(at, `SELECT pid ${OTHERS}`),
    slowInsert: 'INSERT INTO once (id) SELECT 1 FROM pg_sleep(10)',
    isSlow: async (at) => (await onServer(at, `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'`)) === 1,
    hasLogins: false,
  });

  it('cancels a statement after its timeout', async () => {
    const { run } = await open({ statement_timeout: 0.2 });
    const fault = await catchFault(run('SELECT pg_sleep(5)'));
    expect(fault.code).to.equal('QRY_TIMEOUT');
    expect(fault.options.headers).to.deep.equal({ 'retry-after': '1' });
    expect(await run('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
  });

  it('returns fast reads while a slow one runs', async () => {
    const { run } = await open();
    const slow = run('SELECT pg_sleep(1)::text');
    const running = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(1)%'
      AND clock_timestamp() - query_start > interval '40 ms'`;
    await waitUntil(async () => (await onServer(url(), running)) === 1, 'it is at work');
    const elapsed = startStopwatch();
    await Promise.all(Array.from({ length: 20 }, () => run('SELECT 1')));
    expect(elapsed()).to.be.lessThan(500);
    await slow;
  });

  it('keeps UTC although the URL requests its own settings', async () => {
    const address = new URL(url());
    address.searchParams.set('options', '-c search_path=public -c TimeZone=Asia/Tokyo');
    const { run } = await open({ url: address.href });
    expect(await run(`SELECT current_setting('TimeZone') AS zone`)).to.deep.equal([{ zone: 'UTC' }]);
  });

  it('reports a pooler that rejects session settings, and does not wait for it', async () => {
    const fields = ['SFATAL', 'C08P01', 'Munsupported startup parameter: statement_timeout', ''];
    const text = Buffer.from(`${fields.join('\0')}\0`);
    const head = Buffer.from([0x45, 0, 0, 0, text.length + 4]);
    const pooler = createServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(Buffer.concat([head, text])));
    });
    await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
    const { port } = pooler.address() as AddressInfo;
    const fault = await catchFault(openDialect(postgres, { url: `postgres://ada@127.0.0.1:${port}/db` }));
    pooler.close();
    expect(fault.code).to.equal('QRY_CONNECT');
    expect(fault.params['reason']).to.contain('a pooler on the way').and.contain('ignore_startup_parameters');
    expect(fault.options.retryable).to.equal(false);
  });
});

describe('dialect pglite, with a folder', () => {
  let folder = '';
  const opened: OpenDialect[] = [];
  const open = async (): Promise<OpenDialect> => {
    const made = await openDialect(pglite, { path: 'data' }, folder);
    opened.push(made);
    return made;
  };

  before(async () => (folder = await mkdtemp(join(tmpdir(), 'lintel-lite-'))));
  after(async () => {
    await Promise.all(opened.map((made) => made.close()));
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps its data, and rejects a second engine on the folder', async function () {
    const first = await open();
    const run = createRunner(() => first.handle);
    await run('CREATE TABLE kept (id int)');
    await run('INSERT INTO kept (id) VALUES (1)');
    const fault = await catchFault(open());
    expect(fault.code).to.equal('QRY_CONNECT');
    expect(fault.params['reason']).to.match(/in use/);
    await first.close();
    const second = await open();
    const read = (): Promise<unknown> => createRunner(() => second.handle)('SELECT id FROM kept');
    expect(await read()).to.deep.equal([{ id: 1 }]);
    await second.close();
    expect((await catchFault(read())).code, 'nothing reaches it once it is closed').to.equal('QRY_UNAVAILABLE');
    await second.close();
  });

  it('runs statements again after a change of their tables, and keeps a bounded number of them', async () => {
    const made = await open();
    const { handle } = made;
    const run = createRunner(() => handle);
    const all = 'SELECT * FROM changed';
    expect((await catchFault(run(all))).code).to.equal('QRY_FAILED');
    const columns = [id, defineColumn('a', 'text', { nullable: true })];
    await made.syncSchema([defineTable('changed', ...columns)]);
    await run(`INSERT INTO changed (a) VALUES ('x')`);
    expect(await run(all)).to.deep.equal([{ id: 1, a: 'x' }]);
    await made.syncSchema([defineTable('changed', ...columns, defineColumn('b', 'text', { nullable: true }))]);
    const transaction = await handle.begin(SERIALIZABLE);
    expect(await run(all, [], [], transaction)).to.deep.equal([{ id: 1, a: 'x', b: null }]);
    await handle.commit(transaction);
    await run('ALTER TABLE changed DROP b');
    expect(await run(all), 'not changed by a migration').to.deep.equal([{ id: 1, a: 'x' }]);
    const only = await handle.begin(SERIALIZABLE);
    const insert = handle.prepare({ scan: scanSql('INSERT INTO changed (id) VALUES (1)'), jsonColumns: [] });
    expect((await catchFault(handle.run(insert, [], only, true))).code).to.equal('QRY_UNIQUE');
    expect((await catchFault(run(all, [], [], only))).code, 'after a failure').to.equal('QRY_FAILED');
    expect(await made.health(), 'while a transaction holds the engine').to.equal(true);
    expect((await catchFault(handle.commit(only))).code).to.equal('QRY_FAILED');
    for (let n = 0; n < 510; n++) await run(`SELECT ${n} AS n`);
    const [kept] = await run('SELECT count(*)::int AS n FROM pg_prepared_statements');
    expect(kept?.['n']).to.be.within(400, 502);
    await made.close();
  });

  it('rejects the lock of a live process and takes over that of a dead one', async function () {
    const lock = join(folder, 'data.lock');
    await writeFile(lock, `${process.ppid}\n`);
    expect((await catchFault(open())).params['reason']).to.match(/in use/);
    await writeFile(lock, '2147483646\n');
    await (await open()).close();
  });
});
