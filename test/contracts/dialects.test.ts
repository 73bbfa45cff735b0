/**
 * Runs the dialect contract against both dialects, and what only a server can do (deadlines, lost connections, refused
 * logins) or only an embedded engine (locks on its folder).
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import pg from 'pg';
import type { Log, PluginRuntime, RuntimeContext } from '../../kernel/contract/plugin.js';
import pglite from '../../plugins/dialects/pglite/runtime.js';
import postgres from '../../plugins/dialects/postgres/runtime.js';
import type { Dialect } from '../../plugins/kinds/dialect.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import { dialectContract } from './dialect.contract.js';
import type { OpenDialect, Run } from './dialect-support.js';
import { faultOf, runner } from './dialect-support.js';

function contextOf(options: Readonly<Record<string, unknown>>, folder: string, log: Log): RuntimeContext {
  return {
    id: 'dialect:test',
    instance: 'main',
    options,
    log,
    signal: new AbortController().signal,
    env: () => undefined,
    folder,
    resolve: () => {
      throw new Error('nothing to resolve');
    },
  };
}

async function openDialect(
  runtime: PluginRuntime<Dialect>,
  options: Readonly<Record<string, unknown>>,
  folder = tmpdir(),
): Promise<OpenDialect & { health(): Promise<boolean | undefined> }> {
  const ignore = (): void => {};
  const context = contextOf(options, folder, { debug: ignore, info: ignore, warn: ignore, error: ignore });
  const handle = runtime.create?.(context);
  if (!handle) throw new Error('no handle');
  await runtime.open?.(handle, context);
  return {
    handle,
    async adopt(tables) {
      const warnings: string[] = [];
      const statements: string[] = [];
      const log: Log = {
        ...context.log,
        warn: (_, message) => void warnings.push(message),
        debug: (fields) => void ('sql' in fields && statements.push(String(fields.sql))),
      };
      const progress: string[] = [];
      await runtime.adopt?.(handle, tables, contextOf(options, folder, log), (step, at, of) => {
        progress.push(`${at}/${of} ${step.store} ${step.table} ${step.change} ${step.detail}`);
      });
      return { warnings, statements, progress };
    },
    plan: async (tables) => (await runtime.plan?.(handle, tables, context)) ?? { steps: [], warnings: [] },
    close: async () => runtime.close?.(handle),
    health: async () => (await runtime.health?.(handle))?.ok,
  };
}

dialectContract('pglite', () => openDialect(pglite, { path: 'memory://' }));

dialectContract('postgres', async () => {
  const server = await startPostgres();
  return 'skip' in server ? server : openDialect(postgres, { url: await freshDatabase() });
});

describe('dialect postgres, with a server', () => {
  let url = '';
  const opened: OpenDialect[] = [];

  async function open(
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<{ run: Run; handle: Dialect } & OpenDialect> {
    const made = await openDialect(postgres, { url, ...options });
    opened.push(made);
    return { ...made, run: runner(() => made.handle) };
  }

  async function onServer(sql: string, values: unknown[] = []): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return await client.query(sql, values);
    } finally {
      await client.end();
    }
  }

  /** Ends every connection of the dialect, and waits until the server has none of them left. */
  async function terminateOthers(): Promise<void> {
    const mine = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lintel'`;
    await onServer(`SELECT pg_terminate_backend(pid) ${mine}`);
    await expectSoon(async () => (await onServer(`SELECT pid ${mine}`)).rowCount === 0);
  }

  async function expectSoon(check: () => Promise<boolean>): Promise<void> {
    const end = Date.now() + 5000;
    while (!(await check())) if (Date.now() > end) throw new Error('did not happen within five seconds');
  }

  before(async function () {
    this.timeout(60_000);
    const server = await startPostgres();
    if ('skip' in server) this.skip();
    url = await freshDatabase();
  });
  afterEach(() => Promise.all(opened.splice(0).map((made) => made.close())));

  it('stops a statement at its deadline', async () => {
    const { run } = await open({ statement_timeout: 0.2 });
    const fault = await faultOf(run('SELECT pg_sleep(5)'));
    expect(fault.code).to.equal('QRY_TIMEOUT');
    expect(fault.options.headers).to.deep.equal({ 'retry-after': '1' });
    expect(await run('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
  });

  it('refuses when no connection becomes free in time', async () => {
    const { run, handle } = await open({ pool_size: 1, pool_wait: 0.2 });
    const transaction = await handle.begin(true);
    const fault = await faultOf(run('SELECT 1'));
    expect(fault.code).to.equal('QRY_UNAVAILABLE');
    expect(fault.options.retryable).to.equal(true);
    expect(fault.options.headers).to.deep.equal({ 'retry-after': '1' });
    await handle.rollback(transaction);
    await run('SELECT 1');
  });

  it('answers fast reads while a slow one runs', async () => {
    const { run } = await open();
    const slow = run('SELECT pg_sleep(1)::text');
    const running = `SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(1)%'
      AND clock_timestamp() - query_start > interval '40 ms'`;
    await expectSoon(async () => (await onServer(running)).rowCount === 1);
    const start = performance.now();
    await Promise.all(Array.from({ length: 20 }, () => run('SELECT 1')));
    expect(performance.now() - start).to.be.lessThan(500);
    await slow;
  });

  it('goes on after its idle connections were terminated', async () => {
    const made = await open();
    await made.run('SELECT 1');
    await made.run('CREATE TABLE survives (id int)');
    for (let round = 0; round < 3; round++) {
      await terminateOthers();
      expect(await made.run('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
      expect(await made.run('INSERT INTO survives (id) VALUES (1)')).to.deep.equal([{ id: 1 }]);
    }
  });

  it('fails a transaction whose connection was lost, and only that', async () => {
    const { run, handle } = await open();
    const transaction = await handle.begin(true);
    await run('SELECT 1', [], [], transaction);
    await terminateOthers();
    const fault = await faultOf(run('SELECT 1', [], [], transaction));
    expect(fault.code).to.equal('QRY_UNAVAILABLE');
    await handle.rollback(transaction);
    expect(await run('SELECT 1 AS n')).to.deep.equal([{ n: 1 }]);
  });

  it('says that the outcome is unknown when the connection is lost during a write, and does not send it twice', async () => {
    const { run } = await open();
    await run('CREATE TABLE once (id int)');
    const write = faultOf(run('INSERT INTO once (id) SELECT 1 FROM pg_sleep(10)'));
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'`;
    await expectSoon(async () => (await onServer(sleeping)).rowCount === 1);
    await terminateOthers();
    const fault = await write;
    expect(fault.code).to.equal('QRY_UNAVAILABLE');
    expect(fault.params['outcome']).to.match(/not known/);
    expect(fault.options.retryable ?? false).to.equal(false);
    expect(await run('SELECT count(*) AS n FROM once')).to.deep.equal([{ n: 0 }]);
  });

  it('is healthy while open and unavailable when closed', async () => {
    const made = await openDialect(postgres, { url });
    expect(await made.health()).to.equal(true);
    await made.close();
    await made.close();
    expect(await made.health()).to.equal(false);
    expect((await faultOf(runner(() => made.handle)('SELECT 1'))).code).to.equal('QRY_UNAVAILABLE');
  });

  it('keeps UTC although the address asks for settings of its own', async () => {
    const address = new URL(url);
    address.searchParams.set('options', '-c search_path=public -c TimeZone=Asia/Tokyo');
    const { run } = await open({ url: address.href });
    expect(await run(`SELECT current_setting('TimeZone') AS zone`)).to.deep.equal([{ zone: 'UTC' }]);
  });

  it('says in fixed words why it cannot connect', async () => {
    const nobody = new URL(url);
    nobody.port = '1';
    const nowhere = new URL(url);
    nowhere.pathname = '/nowhere_secret';
    for (const [address, reason] of [
      [nobody, 'nothing listens at this address'],
      [nowhere, 'the database does not exist'],
    ] as const) {
      const fault = await faultOf(openDialect(postgres, { url: address.href }));
      expect(fault.code).to.equal('QRY_CONNECT');
      expect(fault.params).to.deep.equal({ instance: 'main', reason });
    }
    const fault = await faultOf(openDialect(postgres, { url: 'db.example.com/secret' }));
    expect(fault.params).to.deep.equal({ instance: 'main', reason: 'the address is not valid' });
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

  it('keeps its data, and refuses a second engine on the folder', async function () {
    this.timeout(60_000);
    const first = await open();
    const run = runner(() => first.handle);
    await run('CREATE TABLE kept (id int)');
    await run('INSERT INTO kept (id) VALUES (1)');
    const fault = await faultOf(open());
    expect(fault.code).to.equal('QRY_CONNECT');
    expect(fault.params['reason']).to.match(/in use/);
    await first.close();
    const second = await open();
    expect(await runner(() => second.handle)('SELECT id FROM kept')).to.deep.equal([{ id: 1 }]);
    await second.close();
  });

  it('refuses the lock of a live process and takes over that of a dead one', async function () {
    this.timeout(60_000);
    const lock = join(folder, 'data.lock');
    await writeFile(lock, `${process.ppid}\n`);
    expect((await faultOf(open())).params['reason']).to.match(/in use/);
    await writeFile(lock, '2147483646\n');
    await (await open()).close();
  });
});
