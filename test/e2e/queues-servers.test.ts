/**
 * Queues on Redis and MongoDB under a running kernel, selected by the environment alone: deferred work is stored on the
 * server before the response, survives the process, and runs in the next one.
 */
import { join } from 'node:path';
import { expect } from 'chai';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMongoDatabase, startMongo } from '../support/mongo.js';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { openQueue, type Address } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { startOwnRedis } from '../support/redis.js';
import { skipTest } from '../support/skip.js';

interface Chosen {
  readonly env: Readonly<Record<string, string>>;
  /** The same queue, for operators. */
  readonly address: Address;
  readonly stop: () => Promise<void>;
}

const SERVERS: Readonly<Record<string, () => Promise<ServerOrSkip<Chosen>>>> = {
  async redis() {
    // The prefix is the default one, so the server belongs to this suite only.
    const server = await startOwnRedis();
    if ('skip' in server) return server;
    const { url, stop } = server;
    return { env: { REDIS_URL: url }, address: { plugin: 'redis', options: { url } }, stop };
  },
  async mongo() {
    const server = await startMongo();
    if ('skip' in server) return server;
    const url = await createMongoDatabase();
    return { env: { MONGO_URL: url }, address: { plugin: 'mongo', options: { url } }, stop: () => Promise.resolve() };
  },
};

const insert = {
  id: 1,
  mode: 'QUERY',
  sql_query: { query: 'INSERT INTO notes (id, text) VALUES ($1, $2)', parameters: ['$PAYLOAD.id', '$PAYLOAD.text'] },
};
const select = {
  id: 1,
  mode: 'QUERY',
  result: 'many',
  sql_query: { query: 'SELECT id, text FROM notes', parameters: [] },
};
const files = {
  'definitions/_notes.model.json': { id: { type: 'String', primary_key: true }, text: { type: 'String' } },
  'definitions/later.json': { id: 'later', resource: 'later', puts_off: true, actionables: [insert] },
  'definitions/all.json': { id: 'all', resource: 'all', actionables: [select] },
};
const config = {
  plugins: ['builtin:*', join(PLUGIN_FIXTURES, 'puts-off')],
  connections: { main: { use: 'pglite', path: 'memory://' } },
};

for (const [name, make] of Object.entries(SERVERS)) {
  describe(`queue on a separate server (${name})`, function () {
    let chosen: Chosen;
    let kernel: TestKernel | undefined;
    before(async function () {
      const found = await make();
      if ('skip' in found) return skipTest(this, found.skip);
      chosen = found;
      kernel = await startKernel({ files, env: chosen.env, config });
    });
    after(async () => {
      await kernel?.close();
      await chosen?.stop();
    });

    it('runs deferred work after the response, and stores invalid work', async () => {
      const post = async (id: string) => (await kernel?.post('/later', { id, text: 'one' }))?.status;
      const notes = async (): Promise<unknown> => (await kernel?.post('/all'))?.body;
      expect(await post('a')).to.equal(202);
      await waitUntil(async () => ((await notes()) as readonly unknown[]).length === 1, 'it was done');
      expect(await notes()).to.deep.equal([{ id: 'a', text: 'one' }]);
      // The same id again: accepted, and rejected by the database after the response.
      expect(await post('a')).to.equal(202);
      const { queue, close } = await openQueue(chosen.address);
      await waitUntil(async () => (await queue.list({ state: 'dead' })).length === 1, 'it is dead');
      const [view] = await queue.list({});
      expect(view).to.include({ resource: 'later', state: 'dead', attempts: 1 });
      expect(view?.failure?.code).to.equal('QRY_UNIQUE');
      expect(await queue.purge({ dead: true })).to.equal(1);
      await close();
    });
  });
}
