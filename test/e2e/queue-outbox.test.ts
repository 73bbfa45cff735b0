/**
 * The outbox: jobs that are accepted in a transaction while their queue is in another store. Nothing is lost when that
 * store is unavailable or the process is killed between the commit and the queue; a rollback removes them.
 */
import { expect } from 'chai';
import pg from 'pg';
import type { Client } from '../support/client.js';
import { waitForValue } from '../support/jobs.js';
import { pickFreePort } from '../support/guarded-server.js';
import { SQL } from '../support/databases.js';
import { startKernel } from '../support/kernel.js';
import { createTempProject } from '../support/project.js';
import { startOwnRedis } from '../support/redis.js';
import { waitUntilReady, serveAsChild } from '../support/serve.js';
import { NO_REDIS, skipTest } from '../support/skip.js';

const insert = (id: number, text: string, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO ledger (id, text) VALUES ($1, $2)', parameters: [`$PAYLOAD.${text}`, text] },
  ...rest,
});
const definitions = [
  { _ledger: { id: { type: 'String', primary_key: true }, text: { type: 'String' } } },
  {
    id: 'ledger',
    resource: 'ledger',
    actionables: [
      { id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id, text FROM ledger ORDER BY id' } },
    ],
  },
  {
    id: 'waiting',
    resource: 'waiting',
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id FROM lintel_outbox' } }],
  },
  { id: 'both', resource: 'both', actionables: [insert(1, 'now'), insert(2, 'later', { queue: {} })] },
  {
    id: 'mark',
    resource: 'mark',
    actionables: [
      {
        id: 1,
        mode: 'QUERY',
        sql_query: { query: `INSERT INTO ledger (id, text) VALUES ($1, '')`, parameters: ['$PAYLOAD.now'] },
      },
      {
        id: 2,
        mode: 'QUERY',
        sql_query: { query: `UPDATE ledger SET text = text || '+' WHERE id = $1`, parameters: ['$PAYLOAD.now'] },
        queue: {},
      },
    ],
  },
  { id: 'alone', resource: 'alone', actionables: [insert(1, 'later', { queue: {} })] },
];

const handedOver = (client: Client): Promise<unknown> =>
  waitForValue(
    async () => (await client.post<readonly unknown[]>('/waiting')).body,
    ({ length }) => length === 0,
  );

describe('outbox of the queue', function () {
  const serve = serveAsChild();
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  const files = (port: number): Record<string, unknown> => ({
    'definitions/all.json': definitions,
    'lintel.config.json': { queue: { use: 'redis', url: `redis://127.0.0.1:${port}`, poll: 0.2 } },
  });
  const redisAt = async (port: number): Promise<boolean> => {
    const server = await startOwnRedis(port);
    if ('skip' in server) return false;
    stops.push(server.stop);
    return true;
  };

  /** The queue is unavailable: jobs in a transaction are accepted, jobs without one are not. */
  async function accept(client: Client): Promise<void> {
    expect((await client.post('/both', { now: 'a1', later: 'a2' })).status).to.equal(200);
    const { status, body } = await client.post('/alone', { later: 'b' });
    expect([status, body['code']]).to.deep.equal([503, 'JOB_AWAY']);
    expect((await client.post('/both', { now: 'a1', later: 'a3' })).status, 'rolled back').to.equal(409);
  }

  for (const name of ['postgres', 'mariadb'] as const) {
    const how = name === 'postgres' ? 'is killed' : 'ends';
    it(`loses nothing when the process ${how} between the commit and the queue (${name})`, async function () {
      const url = await SQL.find((one) => one.name === name)!.make!();
      if (typeof url === 'object') return skipTest(this, url.skip);
      const port = await pickFreePort();
      const [project, first] = [await createTempProject(files(port)), await startOwnRedis(port)];
      stops.push(() => project.dispose());
      if ('skip' in first) return skipTest(this, NO_REDIS);
      await first.stop();
      const env = { PORT: '0', [name === 'postgres' ? 'DATABASE_URL' : 'MYSQL_URL']: url };
      if (name === 'postgres') {
        const child = serve.startIn(project.folder, { env, node: ['--no-opt'] });
        await accept(await waitUntilReady(child));
        await child.stop('SIGKILL');
      } else {
        const kernel = await startKernel({ project, env, wait: true });
        await kernel.kernel.complete();
        await accept(kernel);
        await kernel.close();
      }
      await redisAt(port);
      const next = await startKernel({ project, env });
      stops.push(() => next.close());
      await waitForValue(
        async () => (await next.post<readonly { id: string }[]>('/ledger')).body.map(({ id }) => id),
        (ids) => ids.join() === 'a1,a2',
      );
      await handedOver(next);
    });
  }

  it('runs a job once that a process delivered and could not remove from the outbox before it ended', async function () {
    const url = await SQL.find((one) => one.name === 'postgres')!.make!();
    if (typeof url === 'object') return skipTest(this, url.skip);
    const port = await pickFreePort();
    if (!(await redisAt(port))) return skipTest(this, NO_REDIS);
    const project = await createTempProject({
      ...files(port),
      'lintel.config.json': {
        http: { port: 0 },
        queue: { use: 'redis', url: `redis://127.0.0.1:${port}`, concurrency: 1 },
      },
    });
    stops.push(() => project.dispose());
    const env = { DATABASE_URL: url };
    const first = await startKernel({ project, env });
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    stops.push(() => database.end());
    // The removal of delivered rows fails, as if the process had ended: the queue has the job, and the row still
    // exists.
    await database.query(`CREATE FUNCTION ends() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF current_query() LIKE '%place IN%' THEN RAISE 'it ended'; END IF; RETURN NULL; END $$`);
    await database.query('CREATE TRIGGER ends BEFORE DELETE ON lintel_outbox EXECUTE FUNCTION ends()');
    expect((await first.post('/mark', { now: 'a' })).status).to.equal(200);
    const marks = async (client: Client): Promise<unknown> =>
      (await client.post<readonly { id: string; text: string }[]>('/ledger')).body
        .map(({ id, text }) => id + text)
        .join();
    await waitForValue(
      () => marks(first),
      (all) => all === 'a+',
    );
    await first.close();
    await database.query('DROP TRIGGER ends ON lintel_outbox');
    const next = await startKernel({ project, env });
    stops.push(() => next.close());
    // One at a time: earlier delivered jobs run first.
    expect((await next.post('/mark', { now: 'b' })).status).to.equal(200);
    await handedOver(next);
    await waitForValue(
      () => marks(next),
      (all) => String(all).endsWith('b+'),
    );
    expect(await marks(next)).to.equal('a+,b+');
  });

  it('takes part in the transaction of the connection that the request writes to', async () => {
    const [model, ...rest] = definitions;
    const kernel = await startKernel({
      files: { 'definitions/_ledger.json': { ...model?._ledger, connection: 'side' }, 'definitions/all.json': rest },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' }, side: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'embedded', poll: 0.1 },
      },
    });
    stops.push(() => kernel.close());
    expect((await kernel.post('/both', { now: 'a', later: 'b' })).status).to.equal(200);
    expect((await kernel.post('/both', { now: 'a', later: 'c' })).status, 'rolled back').to.equal(409);
    expect((await kernel.post('/both', { now: 'd', later: 'e' })).status).to.equal(200);
    await waitForValue(
      async () => (await kernel.post<readonly { id: string }[]>('/ledger')).body.map(({ id }) => id),
      (ids) => ids.join() === 'a,b,d,e',
    );
  });

  it('takes part in the transaction of documents in the embedded database', async () => {
    const put = (id: number, text: string, rest: object = {}): object => ({
      id,
      mode: 'QUERY',
      mongo_query: { collection: '_ledger', action: 'INSERT', document: { name: `$PAYLOAD.${text}` } },
      ...rest,
    });
    const all = { collection: '_ledger', action: 'FETCH', sort: { name: 1 } };
    const kernel = await startKernel({
      files: {
        'definitions/all.json': [
          { _ledger: { name: { type: 'String' }, unique: ['name'] } },
          {
            id: 'both',
            resource: 'both',
            actionables: [put(1, 'now'), put(2, 'again'), put(3, 'later', { queue: {} })],
          },
          {
            id: 'ledger',
            resource: 'ledger',
            actionables: [{ id: 1, mode: 'QUERY', result: 'many', mongo_query: all }],
          },
        ],
      },
      config: { connections: { main: { use: 'pglite', path: 'memory://' } }, queue: { use: 'embedded', poll: 0.1 } },
    });
    stops.push(() => kernel.close());
    expect((await kernel.post('/both', { now: 'a', again: 'b', later: 'c' })).status).to.equal(200);
    expect((await kernel.post('/both', { now: 'x', again: 'a', later: 'y' })).status, 'rolled back').to.equal(409);
    expect((await kernel.post('/both', { now: 'd', again: 'e', later: 'f' })).status).to.equal(200);
    await waitForValue(
      async () => (await kernel.post<readonly { name: string }[]>('/ledger')).body.map(({ name }) => name),
      (names) => names.join() === 'a,b,c,d,e,f',
    );
  });

  it('delivers work that was accepted while the queue was unavailable, once it is available', async function () {
    const port = await pickFreePort();
    const kernel = await startKernel({
      files: { 'definitions/all.json': definitions },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'redis', url: `redis://127.0.0.1:${port}`, poll: 0.2 },
      },
    });
    stops.push(() => kernel.close());
    for (const n of [1, 2, 3]) {
      expect((await kernel.post('/both', { now: `n${n}`, later: `l${n}` })).status).to.equal(200);
    }
    expect((await kernel.post<readonly unknown[]>('/waiting')).body).to.have.length(3);
    if (!(await redisAt(port))) return skipTest(this, NO_REDIS);
    const ids = await waitForValue(
      async () => (await kernel.post<readonly { id: string }[]>('/ledger')).body.map(({ id }) => id),
      ({ length }) => length === 6,
    );
    expect(ids).to.deep.equal(['l1', 'l2', 'l3', 'n1', 'n2', 'n3']);
    await handedOver(kernel);
  });

  it('accepts no work that the queue would reject: the request fails, and is rolled back', async () => {
    const kernel = await startKernel({
      files: { 'definitions/all.json': definitions },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'redis', url: `redis://127.0.0.1:${await pickFreePort()}`, max_payload: 1024 },
      },
    });
    stops.push(() => kernel.close());
    const { status, body } = await kernel.post('/both', { now: 'n', later: 'x'.repeat(2000) });
    expect([status, body['code']]).to.deep.equal([413, 'JOB_TOO_LARGE']);
    expect((await kernel.post('/ledger')).body).to.deep.equal([]);
    expect((await kernel.post('/both', { now: 'n', later: 'l' })).status).to.equal(200);
  });
});
