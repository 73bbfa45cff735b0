/** The connection of one MongoDB store. */
import { createFault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { documentStore, type DocumentStore } from '../kind.js';
import { createMongoAddressFault, connect, type MongoConnection } from './connection.js';
import { migrateMongo, outlineMongo } from './migrate.js';
import { nameDatabase, readMongoSettings } from './options.js';
import { createDescribingStore } from './describing.js';
import { createMongoDocumentStore } from './store.js';
import { createDocumentRows } from '../shared/document-rows.js';
import { createTestRows } from '../shared/test-rows.js';

interface MongoStore extends DocumentStore {
  /** Null until it is open. */
  connection: MongoConnection | null;
}

function requireConnection({ connection }: MongoStore): MongoConnection {
  if (connection === null)
    throw createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return connection;
}

export default defineRuntime<DocumentStore, MongoStore>(documentStore, {
  create() {
    const getConnection = (): MongoConnection => requireConnection(handle);
    const store = createMongoDocumentStore(getConnection);
    const handle: MongoStore = {
      ...store,
      describing: () => createDescribingStore(store, getConnection),
      connection: null,
    };
    return handle;
  },

  describeStorage: () => ({ elsewhere: '`mongodump --oplog`' }),

  async open(handle, { options, instance, log }) {
    const settings = readMongoSettings(options);
    if (settings === null) throw createMongoAddressFault(instance);
    const connection = await connect(settings, instance);
    if (connection.standalone) {
      const message =
        'the document store is no replica set: chains are not undone when they fail, and only the requests of this process are kept ' +
        'apart; a set of one server is enough (mongod --replSet, then rs.initiate())';
      log.warn({ store: instance }, message);
    }
    handle.connection = connection;
  },

  plan: (handle, tables, { instance }) => outlineMongo(requireConnection(handle), tables, instance),

  syncSchema: (handle, tables, { instance, log }, progress) =>
    migrateMongo(requireConnection(handle), tables, { store: instance, log, progress }),

  async createTestDatabase({ instance, options }, name) {
    const named = { ...options, url: nameDatabase(String(options['url']), name) };
    const settings = readMongoSettings(named);
    if (settings === null) throw createMongoAddressFault(instance);
    // The server creates it with its first collection.
    await (await connect(settings, instance)).client.close();
    return {
      options: named,
      drop: async () => {
        const { client, db } = await connect(settings, instance);
        await db.dropDatabase();
        await client.close();
      },
    };
  },

  createRowSource: createDocumentRows,

  openTestStore: (handle) => ({
    async reset() {
      const { db } = requireConnection(handle);
      const collections = await db.collections();
      for (const one of collections) await one.deleteMany({});
    },
    ...createTestRows(handle),
  }),

  async close(handle) {
    const { connection } = handle;
    handle.connection = null;
    await connection?.client.close();
  },

  async health(handle) {
    try {
      await requireConnection(handle).db.command({ ping: 1 });
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },
});
