/** Runs the contract of queue stores against the store of every queue. */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import pg from 'pg';
import { COUNTED } from '../../contract/deferred.js';
import type { Log } from '../../contract/plugin.js';
import { createEmbeddedRepository, runAll } from '../../plugins/queues/embedded/runtime.js';
import { createServer as createMongoServer } from '../../plugins/queues/mongo/connection.js';
import { createMongoStore } from '../../plugins/queues/mongo/store.js';
import { createServer } from '../../plugins/queues/postgres/server.js';
import { createClient } from '../../plugins/queues/redis/connection.js';
import { createRedisStore } from '../../plugins/queues/redis/store.js';
import { makeTables } from '../../plugins/queues/shared/sql-schema.js';
import { createSqlStore } from '../../plugins/queues/shared/sql-store.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { openMain, type Main } from '../support/queues.js';
import { startRedis } from '../support/redis.js';
import { queueStoreContract } from './queue-store.contract.js';

const doNothing = (): void => {};
const log: Log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };

describe('contracts of queue stores', () => {
  let main: Main | undefined;
  let database: string | undefined;
  after(() => main?.close());

  async function embedded() {
    if (main === undefined) {
      main = await openMain('memory://');
      const { handle } = main;
      await makeTables((text) => runAll(handle, text));
    }
    const { handle } = main;
    await handle.execute('TRUNCATE lintel_jobs', [], null);
    const store = createSqlStore(
      (_name, text, values) => handle.execute(text, values, null),
      createEmbeddedRepository(handle),
    );
    return { handle, store };
  }

  queueStoreContract({
    name: 'embedded',
    async createStore() {
      const { store } = await embedded();
      return { store, dispose: () => Promise.resolve() };
    },
  });

  it('embedded: counts up to a limit, in the order of execution, and returns the oldest of those', async () => {
    const { handle, store } = await embedded();
    const add = (count: number, rank: number, minutes: number) =>
      handle.execute(
        `INSERT INTO lintel_jobs (id, name, type, priority, next_run_at, data, created_at, state, rank, attempts, retries)
         SELECT gen_random_uuid(), 'lintel', 'normal', 0, now() - $3::float8 * interval '1 minute', '{}', now(), 'waiting',
           $2::float8, 0, 0 FROM generate_series(1, $1::int)`,
        [count, rank, minutes],
        null,
      );
    await add(1, 0, 60);
    await add(COUNTED, 1, 2);
    const backlog = async () => {
      const { ready, oldest } = await store.countBacklog();
      return [ready, Math.floor(oldest / 60)];
    };
    expect(await backlog()).to.deep.equal([COUNTED, 2]);
    await add(1, 2, 30);
    expect(await backlog()).to.deep.equal([COUNTED, 30]);
    await handle.execute(`UPDATE lintel_jobs SET disabled = true WHERE rank = 2`, [], null);
    expect(await backlog()).to.deep.equal([COUNTED - 1, 2]);
  });

  queueStoreContract({
    name: 'postgres',
    async createStore() {
      const found = await startPostgres();
      if ('skip' in found) return found;
      const isNew = database === undefined;
      const url = (database ??= await createPostgresDatabase());
      if (!isNew) {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query('TRUNCATE lintel_jobs');
        await client.end();
      }
      const server = createServer({ url, size: 1 }, log);
      return { store: createSqlStore(server.run, server.jobs, server.notifyWorkers), dispose: () => server.close() };
    },
  });

  queueStoreContract({
    name: 'redis',
    async createStore() {
      const found = await startRedis();
      if ('skip' in found) return found;
      const client = createClient({ servers: { url: found.url }, prefix: '', tls: false });
      await client.connect();
      const store = createRedisStore(client, `test:${randomUUID()}:`, doNothing);
      return { store, dispose: () => Promise.resolve(client.disconnect()) };
    },
  });

  queueStoreContract({
    name: 'mongo',
    async createStore() {
      const found = await startMongo();
      if ('skip' in found) return found;
      const place = { database: 'lintel', collection: 'lintel_jobs' };
      const server = createMongoServer({ url: await createMongoDatabase(), ...place });
      return { store: createMongoStore(server), dispose: () => server.close() };
    },
  });
});
