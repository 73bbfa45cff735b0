/**
 * The outbox: work that is accepted in a transaction while its queue lies in another store. Nothing of it is lost when that
 * store is away or the process is killed between the commit and the queue; what the transaction does not keep is never done.
 */
import { expect } from 'chai';
import type { Put } from '../../kernel/contract/deferred.js';
import { fault } from '../../kernel/contract/fault.js';
import { createDialect } from '../../plugins/dialects/pglite/dialect.js';
import { createOutbox } from '../../plugins/features/queue/outbox.js';
import { PGlite } from '@electric-sql/pglite';
import type { Client } from '../support/client.js';
import { eventually } from '../support/jobs.js';
import { freePort } from '../support/guarded.js';
import { SQL } from '../support/databases.js';
import { startKernel } from '../support/kernel.js';
import { ownRedis } from '../support/redis.js';
import { ready, serving } from '../support/serve.js';

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
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id FROM ledger ORDER BY id' } }],
  },
  {
    id: 'waiting',
    resource: 'waiting',
    actionables: [{ id: 1, mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id FROM lintel_outbox' } }],
  },
  { id: 'both', resource: 'both', actionables: [insert(1, 'now'), insert(2, 'later', { queue: {} })] },
  { id: 'alone', resource: 'alone', actionables: [insert(1, 'later', { queue: {} })] },
];

const handedOver = (client: Client): Promise<unknown> =>
  eventually(
    async () => (await client.post<readonly unknown[]>('/waiting')).body,
    ({ length }) => length === 0,
  );

describe('the outbox of the queue', function () {
  this.timeout(60_000);
  const serve = serving();
  const stops: (() => Promise<void>)[] = [];
  afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

  const files = (port: number): Record<string, unknown> => ({
    'definitions/all.json': definitions,
    'lintel.config.json': { queue: { use: 'redis', url: `redis://127.0.0.1:${port}`, poll: 0.2 } },
  });
  const redisAt = async (port: number): Promise<boolean> => {
    const server = await ownRedis(port);
    if ('skip' in server) return false;
    stops.push(server.stop);
    return true;
  };

  for (const name of ['postgres', 'mariadb'] as const) {
    it(`loses nothing when the process is killed between the commit and the queue (${name})`, async function () {
      const url = await SQL.find((one) => one.name === name)?.make?.();
      if (typeof url !== 'string') return this.skip();
      const env = { [name === 'postgres' ? 'DATABASE_URL' : 'MYSQL_URL']: url };
      const port = await freePort();
      const { folder } = await serve.folder(files(port));
      const first = serve.startIn(folder, { env });
      const client = await ready(first);
      // The queue is away: what a transaction carries is accepted, what would have to go there at once is not.
      expect((await client.post('/both', { now: 'a1', later: 'a2' })).status).to.equal(200);
      const { status, body } = await client.post('/alone', { later: 'b' });
      expect([status, body['code']]).to.deep.equal([503, 'JOB_AWAY']);
      expect((await client.post('/both', { now: 'a1', later: 'a3' })).status, 'rolled back').to.equal(409);
      await first.stop('SIGKILL');
      if (!(await redisAt(port))) return this.skip();
      const again = await ready(serve.startIn(folder, { env }));
      await eventually(
        async () => (await again.post<readonly { id: string }[]>('/ledger')).body.map(({ id }) => id),
        (ids) => ids.join() === 'a1,a2',
      );
      await handedOver(again);
    });
  }

  it('takes part in the transaction of whichever connection the request writes on', async () => {
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
    await eventually(
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
    await eventually(
      async () => (await kernel.post<readonly { name: string }[]>('/ledger')).body.map(({ name }) => name),
      (names) => names.join() === 'a,b,c,d,e,f',
    );
  });

  it('hands over what was accepted while the queue was away, once it is back', async function () {
    const port = await freePort();
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
    if (!(await redisAt(port))) return this.skip();
    const ids = await eventually(
      async () => (await kernel.post<readonly { id: string }[]>('/ledger')).body.map(({ id }) => id),
      ({ length }) => length === 6,
    );
    expect(ids).to.deep.equal(['l1', 'l2', 'l3', 'n1', 'n2', 'n3']);
    await handedOver(kernel);
  });

  it('takes nothing in that the queue would refuse: the request is told, and rolled back', async () => {
    const kernel = await startKernel({
      files: { 'definitions/all.json': definitions },
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'redis', url: `redis://127.0.0.1:${await freePort()}`, max_payload: 1024 },
      },
    });
    stops.push(() => kernel.close());
    const { status, body } = await kernel.post('/both', { now: 'n', later: 'x'.repeat(2000) });
    expect([status, body['code']]).to.deep.equal([413, 'JOB_TOO_LARGE']);
    expect((await kernel.post('/ledger')).body).to.deep.equal([]);
    expect((await kernel.post('/both', { now: 'n', later: 'l' })).status).to.equal(200);
  });

  describe('over a queue that answers as a test wants', () => {
    let engine!: PGlite;
    before(async () => {
      engine = await PGlite.create();
    });
    after(() => engine.close());
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const put = (id: string): Put => ({ work: { id } as Put['work'], delay: 1, priority: 2, retries: 3 });
    const outboxOver = (add: (work: readonly Put[]) => Promise<void>) => {
      const connection = createDialect(() => engine);
      return { connection, outbox: createOutbox({ connection, queue: { add }, log, pause: 20 }) };
    };
    const rows = async (): Promise<readonly unknown[]> =>
      (await engine.query('SELECT id, refused FROM lintel_outbox ORDER BY place')).rows;

    it('keeps what the queue will never take, and hands over the rest', async () => {
      const taken: Put[] = [];
      const { connection, outbox } = outboxOver((work) => {
        if (work.some((one) => one.work.id === 'large')) return Promise.reject(fault('JOB_TOO_LARGE'));
        taken.push(...work);
        return Promise.resolve();
      });
      await outbox.serve();
      const transaction = await connection.begin(false);
      await outbox.add([put('one'), put('large'), put('two')], transaction);
      await connection.commit(transaction);
      outbox.hand();
      await eventually(rows, ({ length }) => length === 1);
      await outbox.rest();
      expect(taken).to.deep.equal([put('one'), put('two')]);
      expect(await rows()).to.deep.equal([{ id: 'large', refused: 'JOB_TOO_LARGE' }]);
      await engine.query('DELETE FROM lintel_outbox');
    });

    it('is kept as dead work where the queue can keep any, and a row that somebody changed keeps nothing waiting', async () => {
      const taken: string[] = [];
      const buried: unknown[] = [];
      const add = (work: readonly Put[]): Promise<void> => {
        const large = work.some((one) => one.work.id === 'large');
        if (large) return Promise.reject(fault('JOB_TOO_LARGE', { size: 9, limit: 5 }));
        taken.push(...work.map((one) => one.work.id));
        return Promise.resolve();
      };
      const connection = createDialect(() => engine);
      const bury = (work: Put, failure: object): Promise<void> => {
        buried.push([work, failure]);
        return Promise.resolve();
      };
      const outbox = createOutbox({ connection, queue: { add, bury }, log, pause: 20 });
      await outbox.serve();
      for (const body of ['no JSON', 'null', '7', '{"work":{"id":7}}', '{"work":{"id":"x"},"delay":"soon"}', '[]'])
        await engine.query('INSERT INTO lintel_outbox (id, body) VALUES ($1, $2)', ['changed', body]);
      const transaction = await connection.begin(false);
      await outbox.add([put('one'), put('large'), put('two')], transaction);
      await connection.commit(transaction);
      outbox.hand();
      await eventually(rows, (left) => left.length === 6 && left.every((row) => (row as { refused: unknown }).refused));
      await outbox.rest();
      expect(taken).to.deep.equal(['one', 'two']);
      const detail = 'The work that this request asks for is too large to be done later: 9 bytes, at most 5.';
      expect(buried).to.deep.equal([[put('large'), { code: 'JOB_TOO_LARGE', detail }]]);
      expect(await rows()).to.deep.equal(Array(6).fill({ id: 'changed', refused: 'JOB_BROKEN' }));
      await engine.query('DELETE FROM lintel_outbox');
    });

    it('hands a row over once, however many processes sweep', async () => {
      const taken: string[] = [];
      const add = async (work: readonly Put[]): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        taken.push(...work.map((one) => one.work.id));
      };
      const all = [outboxOver(add), outboxOver(add), outboxOver(add)];
      await Promise.all(all.map(({ outbox }) => outbox.serve()));
      const ids = Array.from({ length: 250 }, (_, index) => `job-${index}`);
      const [first] = all;
      if (first === undefined) throw new Error('there is none');
      const transaction = await first.connection.begin(false);
      await first.outbox.add(ids.map(put), transaction);
      await first.connection.commit(transaction);
      all.forEach(({ outbox }) => outbox.hand());
      await eventually(rows, ({ length }) => length === 0);
      await Promise.all(all.map(({ outbox }) => outbox.rest()));
      expect(taken).to.have.length(250);
      expect(new Set(taken).size).to.equal(250);
    });
  });
});
