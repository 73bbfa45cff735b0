/**
 * A configured queue under a running kernel: deferred work is durable before the response and runs after it, and a
 * rolled back transaction leaves none. The feature that defers is a third-party plugin.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import { BootError } from '../../contract/boot-error.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import { listSuiteDatabases, startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { waitUntil } from '../support/until.js';
import { skipTest, skipWithout } from '../support/skip.js';

const PLUGINS = ['builtin:*', join(PLUGIN_FIXTURES, 'puts-off')];

const insert = (id: number, parameters: readonly string[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO notes (id, text) VALUES ($1, $2)', parameters },
  ...rest,
});

const FILES = {
  'definitions/_notes.model.json': { id: { type: 'String', primary_key: true }, text: { type: 'String' } },
  'definitions/later.json': {
    id: 'later',
    resource: 'later',
    puts_off: true,
    actionables: [insert(1, ['$PAYLOAD.id', '$PAYLOAD.text'])],
  },
  'definitions/both.json': {
    id: 'both',
    resource: 'both',
    actionables: [
      insert(1, ['$PAYLOAD.id', '$PAYLOAD.text']),
      insert(2, ['$GENERATOR.ULID', '$PAYLOAD.text'], { puts_off: true }),
    ],
  },
  'definitions/all.json': {
    id: 'all',
    resource: 'all',
    actionables: [
      { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, text FROM notes', parameters: [] } },
    ],
  },
};

const readTexts = async (kernel: TestKernel): Promise<unknown[]> =>
  ((await kernel.post('/all')).body as unknown as { text: unknown }[]).map(({ text }) => text).sort();

async function catchStartError(options: TestKernelOptions): Promise<BootError> {
  try {
    await (await startKernel(options)).close();
  } catch (error) {
    if (error instanceof BootError) return error;
    throw error;
  }
  throw new Error('it started');
}

for (const { name, make } of listSuiteDatabases()) {
  describe(`queue and its database (${name})`, function () {
    let kernel: TestKernel | undefined;
    const running = (): TestKernel => {
      if (kernel === undefined) throw new Error('not started');
      return kernel;
    };
    before(async function () {
      const database = await make();
      if ('skip' in database) return skipTest(this, database.skip);
      const { connections, env } = database;
      kernel = await startKernel({ files: FILES, env, config: { plugins: PLUGINS, connections } });
    });
    after(() => kernel?.close());

    it('runs deferred work after the response', async () => {
      const answer = await running().post('/later', { id: 'a', text: 'one' });
      expect(answer.status).to.equal(202);
      await waitUntil(async () => (await readTexts(running())).length === 1, 'it was done');
    });

    it('runs work that was deferred inside a transaction, if that commits', async () => {
      expect((await running().post('/both', { id: 'b', text: 'two' })).status).to.equal(200);
      await waitUntil(async () => (await readTexts(running())).length === 3, 'it was done');
      expect((await running().post('/both', { id: 'b', text: 'three' })).status).to.equal(409);
      // Later jobs run later: a job of the other would be there by now.
      expect((await running().post('/later', { id: 'c', text: 'four' })).status).to.equal(202);
      await waitUntil(async () => (await readTexts(running())).includes('four'), 'the last was done');
      expect(await readTexts(running())).to.deep.equal(['four', 'one', 'two', 'two']);
    });
  });
}

describe('configured queue', function () {
  let kernel: TestKernel | undefined;
  afterEach(async () => {
    await kernel?.close();
    kernel = undefined;
  });

  it('rejects work that is too large', async () => {
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    const queue = { use: 'embedded', max_payload: 1024 };
    kernel = await startKernel({ files: FILES, config: { plugins: PLUGINS, connections, queue } });
    const answer = await kernel.post('/later', { id: 'a', text: 'x'.repeat(2000) });
    expect([answer.status, answer.body['code']]).to.deep.equal([413, 'JOB_TOO_LARGE']);
  });

  it('opens after the embedded database that contains it, also if nothing else needs it', async () => {
    const files = {
      'definitions/nothing.json': {
        id: 'nothing',
        resource: 'nothing',
        puts_off: true,
        actionables: [{ id: 1, mode: 'RETURN', value: 1 }],
      },
    };
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    kernel = await startKernel({ files, config: { plugins: PLUGINS, connections } });
    expect((await kernel.post('/nothing')).status).to.equal(202);
  });

  it('cannot be embedded in another kind of connection, and names the possible ones', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const env = { DATABASE_URL: await createPostgresDatabase() };
    const error = await catchStartError({ files: FILES, env, config: { plugins: PLUGINS, queue: 'embedded' } });
    expect(error.code).to.equal('JOB_NOT_EMBEDDED');
    expect(error.words?.help).to.contain('"use": "postgres"').and.contain('"connection": "jobs"');
  });

  it('names the missing config on MySQL, with schedules, and runs in the configured store', async function () {
    await skipWithout(this, startMysql('mariadb'));
    const env = { MYSQL_URL: await createMysqlDatabase('mariadb') };
    const nightly = {
      id: 'nightly',
      resource: 'nightly',
      actionables: [
        insert(1, ['$GENERATOR.ULID', '$GENERATOR.ULID'], { cron_job: { execution_interval: '0 0 3 * * *' } }),
      ],
    };
    const files = { ...FILES, 'definitions/nightly.json': nightly };
    const jobs = { use: 'pglite', path: 'memory://' };
    const main = { use: 'mysql', url: '$ENV.MYSQL_URL' };
    const onJobs = { use: 'embedded', connection: 'jobs' };
    for (const [code, written] of [
      ['JOB_NOT_EMBEDDED', { connections: { main } }],
      ['CRN_NOT_EMBEDDED', { connections: { main, jobs }, queue: onJobs }],
    ] as const) {
      const error = await catchStartError({ files, env, config: { plugins: PLUGINS, ...written } });
      expect(error.code).to.equal(code);
      expect(error.words?.help).to.contain('"jobs": { "use": "pglite" }').and.contain('"connection": "jobs"');
    }
    const config = { plugins: PLUGINS, connections: { main, jobs }, queue: onJobs, scheduler: onJobs };
    kernel = await startKernel({ files, env, config });
    const { status } = await kernel.post('/later', { id: 'a', text: 'put off' });
    expect(status).to.equal(202);
    const running = kernel;
    await waitUntil(async () => (await readTexts(running)).includes('put off'), 'it was done');
    expect(await readTexts(running)).to.deep.equal(['put off']);
  });

  it('is stored embedded in the connection that it names, and main is another database', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const note = 'INSERT INTO notes (id, text) VALUES ($1, $2)';
    const actions = [1, 2].map((id) => ({
      id,
      mode: 'QUERY',
      sql_query: { query: note, parameters: ['$GENERATOR.ULID', '$PAYLOAD.text'] },
      ...(id === 2 && { queue: {} }),
    }));
    kernel = await startKernel({
      files: { ...FILES, 'definitions/both.json': { id: 'both', resource: 'both', actionables: actions } },
      env: { DATABASE_URL: await createPostgresDatabase() },
      config: {
        plugins: PLUGINS,
        connections: {
          main: { use: 'postgres', url: '$ENV.DATABASE_URL' },
          jobs: { use: 'pglite', path: 'memory://' },
        },
        queue: { use: 'embedded', connection: 'jobs', poll: 0.1 },
        scheduler: { use: 'embedded', connection: 'jobs' },
      },
    });
    const running = kernel;
    expect((await running.post('/both', { text: 'x' })).status).to.equal(200);
    await waitUntil(async () => (await readTexts(running)).length === 2, 'the work is done');
  });

  it('must have a PostgreSQL URL', async () => {
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    const queue = { use: 'postgres', url: '$ENV.QUEUE_URL' };
    const env = { QUEUE_URL: 'mysql://127.0.0.1/x' };
    const error = await catchStartError({ files: FILES, env, config: { plugins: PLUGINS, connections, queue } });
    expect(error.code).to.equal('JOB_POSTGRES_ADDRESS');
  });

  it('must have the database of its URL', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = new URL(server.url);
    url.pathname = '/lintel_nowhere';
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    const queue = { use: 'postgres', url: '$ENV.QUEUE_URL' };
    const env = { QUEUE_URL: url.href };
    const error = await catchStartError({ files: FILES, env, config: { plugins: PLUGINS, connections, queue } });
    expect(error.code).to.equal('JOB_POSTGRES_REFUSED');
  });

  it('fails only the requests that need it if it is unavailable', async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const url = new URL(await createPostgresDatabase());
    const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    const connections = { main: { use: 'pglite', path: 'memory://' } };
    const queue = { use: 'postgres', url: '$ENV.QUEUE_URL', poll: 0.2 };
    kernel = await startKernel({
      files: FILES,
      env: { QUEUE_URL: url.href },
      config: { plugins: PLUGINS, connections, queue },
    });
    try {
      proxy.reset();
      const away = await kernel.post('/later', { id: 'a', text: 'x' });
      expect([away.status, away.body['code'], away.headers.get('retry-after')]).to.deep.equal([503, 'JOB_AWAY', '1']);
      expect((await kernel.post('/all')).status).to.equal(200);
      await proxy.passTraffic();
      expect((await kernel.post('/later', { id: 'b', text: 'later' })).status).to.equal(202);
      await waitUntil(async () => (await readTexts(kernel as TestKernel)).includes('later'), 'it was done');
      expect(await readTexts(kernel)).to.deep.equal(['later']);
    } finally {
      await proxy.passTraffic();
      await kernel.close();
      kernel = undefined;
      await proxy.close();
    }
  });
});
