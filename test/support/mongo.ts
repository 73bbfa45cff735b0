/**
 * A MongoDB server for tests: TEST_MONGO_URL, or the program TEST_MONGOD (created by `.ci/mongod`), or `mongod` on
 * PATH, as a replica set of one in a temporary folder on a free port. One for the whole run, started by the first suite
 * that needs it; every suite uses a separate database. A suite that stops its server starts a separate one.
 */
import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { pickFreePort, skipWithReason, findProgram, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { shareServer, stopSharedServer, runAtEnd } from './shared-server.js';
import { NO_MONGO } from './skip.js';

export interface MongoServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}
export type TestMongo = ServerOrSkip<MongoServer>;

const SET = 'lintel';

async function onServer<T>(url: string, work: (client: MongoClient) => Promise<T>): Promise<T> {
  const client = new MongoClient(url, { serverSelectionTimeoutMS: 2000 });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.close();
  }
}

/** Resolves if it is the primary, or rejects; a server without a set is initialized. */
const ensurePrimary = (port: number): Promise<void> =>
  onServer(`mongodb://127.0.0.1:${port}/?directConnection=true`, async (client) => {
    const admin = client.db('admin');
    const hello = (await admin.command({ hello: 1 })) as { isWritablePrimary?: boolean; setName?: string };
    if (hello.isWritablePrimary === true) return;
    if (hello.setName === undefined) {
      const members = [{ _id: 0, host: `127.0.0.1:${port}` }];
      // A restarted server does not wait for the end of its previous term.
      const settings = { electionTimeoutMillis: 1000 };
      await admin.command({ replSetInitiate: { _id: SET, members, settings } });
    }
    throw new Error('nobody was elected yet');
  });

/**
 * A server for one suite, always a local one. In the same `data` folder again it is the restarted server. `inSet`:
 * false for a standalone one.
 */
export async function startOwnMongo(
  port?: number,
  data?: string,
  inSet = true,
): Promise<ServerOrSkip<MongoServer & { readonly port: number }>> {
  const program = process.env['TEST_MONGOD'] ?? findProgram('mongod');
  if (!program) return skipWithReason(NO_MONGO);
  const chosen = port ?? (await pickFreePort());
  const { stop } = await startGuardedServer({
    name: 'mongo',
    // Nothing of it is needed any more, and an orderly end waits for its clients.
    signal: 'KILL',
    prepare: async (folder) => void (await mkdir(data ?? join(folder, 'data'), { recursive: true })),
    script: (folder) =>
      `keep '${program}' --dbpath '${data ?? join(folder, 'data')}' --port ${chosen} --bind_ip 127.0.0.1 ` +
      `${inSet ? `--replSet ${SET} --oplogSize 64` : ''} --nounixsocket --setParameter diagnosticDataCollectionEnabled=false`,
    ready: () => ensurePrimary(chosen),
    patienceMs: 60_000,
  });
  // Directly: a client behind a proxy must not be redirected to the address of the set.
  return { url: `mongodb://127.0.0.1:${chosen}/?directConnection=true`, port: chosen, stop };
}

const made: string[] = [];

/** The server of this run. */
export function startMongo(): Promise<TestMongo> {
  const given = process.env['TEST_MONGO_URL'];
  return shareServer('mongo', async () => (given ? { url: given, stop: async () => {} } : startOwnMongo()));
}

/** The URL of a new, empty database; throws without a server (call `startMongo` first). */
export async function createMongoDatabase(): Promise<string> {
  const found = await startMongo();
  if ('skip' in found) throw new Error(found.skip);
  const name = `lintel_test_${randomUUID().replaceAll('-', '')}`;
  made.push(name);
  const url = new URL(found.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the databases of this run and stops the server, if this run started it. */
export async function stopMongo(): Promise<void> {
  const [url, dropped] = [process.env['TEST_MONGO_URL'], made.splice(0)];
  if (url && dropped.length > 0) {
    await onServer(url, (client) => Promise.all(dropped.map((name) => client.db(name).dropDatabase())));
  }
  await stopSharedServer('mongo');
}

runAtEnd(stopMongo);
