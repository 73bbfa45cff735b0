/** Runs the queue contract against every store. Cases of single stores are in separate suites. */
import { join } from 'node:path';
import { PostgresBackend, type PostgresJobRepository } from '@agendajs/postgres-backend';
import { expect } from 'chai';
import pg from 'pg';
import postgres from '../../plugins/dialects/postgres/runtime.js';
import { createEmbeddedRepository } from '../../plugins/queues/embedded/runtime.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { createTempProject, type TempProject } from '../support/project.js';
import { openMain, openQueue, type Address, type Main } from '../support/queues.js';
import { testQueueOutage } from './queue-outage.js';
import { queueContract } from './queue.contract.js';
import { testQueueProcesses } from './queue-processes.js';
import type { Place } from './queue-support.js';
import { testQueueTransactions, type SqlPlace } from './queue-transactions.js';
import { openDialect } from './dialect-open.js';
import { skipTest } from '../support/skip.js';

/** One database for all of them, emptied each time: creating and dropping databases is slow. */
let database: string | undefined;
const NEW = 'DROP TABLE IF EXISTS lintel_jobs, lintel_job_marks, notes';
/** Existing tables are emptied: creating them takes longer than most tests. */
const EMPTY = `DO $$ BEGIN
  IF to_regclass('lintel_jobs') IS NOT NULL THEN TRUNCATE lintel_jobs, lintel_job_marks RESTART IDENTITY; END IF;
END $$`;

async function onServer(prepare = NEW): Promise<ServerOrSkip<Address>> {
  const server = await startPostgres();
  if ('skip' in server) return server;
  const url = (database ??= await createPostgresDatabase());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(prepare);
  await client.end();
  return { plugin: 'postgres', options: { url, pool_size: 2 } };
}

queueContract({
  name: 'postgres',
  wakes: true,
  async createPlace() {
    const address = await onServer(EMPTY);
    if ('skip' in address) return address;
    return {
      open: (options) => openQueue({ ...address, options: { ...address.options, ...options } }),
      dispose: () => Promise.resolve(),
      async openTool() {
        const connectionString = String(address.options['url']);
        const { repository } = new PostgresBackend({ connectionString, tableName: 'lintel_jobs' });
        await repository.connect();
        return { jobs: repository, end: () => (repository as PostgresJobRepository).disconnect() };
      },
    };
  },
});

testQueueProcesses({ name: 'postgres', shared: true, address: () => onServer() });

const withConnection = async (): Promise<ServerOrSkip<SqlPlace>> => {
  const address = await onServer();
  if ('skip' in address) return address;
  const queue = await openQueue({ ...address, options: { ...address.options, poll: 20 } });
  const connection = await openDialect(postgres, { url: address.options['url'] });
  const close = async (): Promise<void> => {
    await queue.close();
    await connection.close();
  };
  return { queue, main: connection.handle, tables: connection, close };
};
testQueueTransactions({ name: 'postgres', place: withConnection, migrates: true });

describe('queue postgres, connections of other databases', () => {
  const places: SqlPlace[] = [];
  beforeEach(async function () {
    for (let n = 0; n < 2; n++) {
      const place = await withConnection();
      if ('skip' in place) return skipTest(this, place.skip);
      places.push(place);
      database = undefined;
    }
  });
  afterEach(() => Promise.all(places.splice(0).map(({ close }) => close())));

  it('do not share a transaction, whether or not they have the same tables', async () => {
    const [here, there] = places as [SqlPlace, SqlPlace];
    expect(await here.queue.queue.findTransactionalQueue(there.main)).to.equal(null);
    await there.main.execute('DROP TABLE lintel_jobs', [], null);
    await there.main.execute('DROP TABLE lintel_job_marks', [], null);
    expect(await here.queue.queue.findTransactionalQueue(there.main)).to.equal(null);
    expect(await here.queue.queue.findTransactionalQueue(here.main)).to.not.equal(null);
    expect(await here.main.execute('SELECT mark FROM lintel_job_marks', [], null)).to.deep.equal([]);
  });
});

testQueueOutage({
  name: 'postgres',
  async openProxied() {
    const direct = await onServer();
    if ('skip' in direct) return direct;
    const url = new URL(String(direct.options['url']));
    const proxy = await startFaultProxy({ host: url.hostname, port: Number(url.port) });
    url.port = String(proxy.port);
    return { direct, proxy, address: { ...direct, options: { ...direct.options, url: url.href } } };
  },
});

describe('embedded database', () => {
  let main: Main | undefined;
  after(() => main?.close());

  /** The engine takes seconds to start: one for all, emptied each time. */
  async function createPlace(): Promise<Place> {
    main ??= await openMain('memory://');
    const { handle } = main;
    await handle.execute(EMPTY, [], null);
    return {
      open: (options) => openQueue({ plugin: 'embedded', options: options ?? {} }, handle),
      dispose: () => Promise.resolve(),
      openTool: async () => ({ jobs: await createEmbeddedRepository(handle)(), end: () => Promise.resolve() }),
    };
  }
  queueContract({ name: 'embedded', wakes: false, createPlace });

  testQueueTransactions({
    name: 'embedded',
    migrates: false,
    async place() {
      const place = await createPlace();
      const queue = await place.open();
      if (queue.main === null) throw new Error('no connection');
      return { queue, main: queue.main, tables: null, close: queue.close };
    },
  });

  let project: TempProject | undefined;
  after(() => project?.dispose());
  testQueueProcesses({
    name: 'embedded',
    shared: false,
    async address() {
      project ??= await createTempProject();
      return { plugin: 'embedded', options: {}, path: join(project.folder, 'data') };
    },
  });
});
