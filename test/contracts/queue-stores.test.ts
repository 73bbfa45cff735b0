/** Runs the contract of queue stores against the store of every queue. */
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../../kernel/contract/plugin.js';
import { repositoryOn, runAll } from '../../plugins/queues/embedded/agenda.js';
import { createServer as createMongoServer } from '../../plugins/queues/mongo/connection.js';
import { createMongoStore } from '../../plugins/queues/mongo/store.js';
import { createServer } from '../../plugins/queues/postgres/server.js';
import { createClient } from '../../plugins/queues/redis/connection.js';
import { createRedisStore } from '../../plugins/queues/redis/store.js';
import { makeTables } from '../../plugins/queues/shared/sql-schema.js';
import { createSqlStore } from '../../plugins/queues/shared/sql-store.js';
import { freshMongo, startMongo } from '../support/mongo.js';
import { freshDatabase, startPostgres } from '../support/postgres.js';
import { openMain, type Main } from '../support/queues.js';
import { startRedis } from '../support/redis.js';
import { queueStoreContract } from './queue-store.contract.js';

const nothing = (): void => {};
const log: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

describe('contracts of queue stores', () => {
  let main: Main | undefined;
  let database: string | undefined;
  after(() => main?.close());

  queueStoreContract({
    name: 'embedded',
    async fresh() {
      if (main === undefined) {
        main = await openMain('memory://');
        const { handle } = main;
        await makeTables((text) => runAll(handle, text));
      }
      const { handle } = main;
      await handle.execute('TRUNCATE lintel_jobs', [], null);
      const store = createSqlStore((_name, text, values) => handle.execute(text, values, null), repositoryOn(handle));
      return { store, dispose: () => Promise.resolve() };
    },
  });

  queueStoreContract({
    name: 'postgres',
    async fresh() {
      const found = await startPostgres();
      if ('skip' in found) return found;
      const isNew = database === undefined;
      const url = (database ??= await freshDatabase());
      if (!isNew) {
        const client = new pg.Client({ connectionString: url });
        await client.connect();
        await client.query('TRUNCATE lintel_jobs');
        await client.end();
      }
      const server = createServer({ url, size: 1 }, log);
      return { store: createSqlStore(server.run, server.jobs, server.notify), dispose: () => server.close() };
    },
  });

  queueStoreContract({
    name: 'redis',
    async fresh() {
      const found = await startRedis();
      if ('skip' in found) return found;
      const client = createClient({ url: found.url, tls: false });
      await client.connect();
      const store = createRedisStore(client, `test:${randomUUID()}:`, nothing);
      return { store, dispose: () => Promise.resolve(client.disconnect()) };
    },
  });

  queueStoreContract({
    name: 'mongo',
    async fresh() {
      const found = await startMongo();
      if ('skip' in found) return found;
      const place = { database: 'lintel', collection: 'lintel_jobs' };
      const server = createMongoServer({ url: await freshMongo(), ...place });
      return { store: createMongoStore(server), dispose: () => server.close() };
    },
  });
});
