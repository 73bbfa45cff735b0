/** Runtime of the document store `mongodb`: opens, closes, migrates and checks the connection of one store. */
import { fault } from '../../../contract/fault.js';
import { defineRuntime } from '../../../contract/plugin.js';
import { documentStore, type DocumentStore } from '../kind.js';
import { addressFault, connect, type Connection } from './connection.js';
import { migrate, outline } from './migrate.js';
import { readSettings } from './options.js';
import { createStore } from './store.js';

const opened = new WeakMap<DocumentStore, Connection>();

function connectionOf(handle: DocumentStore): Connection {
  const found = opened.get(handle);
  if (!found) throw fault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return found;
}

export default defineRuntime(documentStore, {
  create() {
    const handle: DocumentStore = createStore(() => connectionOf(handle));
    return handle;
  },

  keeps: () => ({ elsewhere: '`mongodump --oplog`' }),

  async open(handle, { options, instance, log }) {
    const settings = readSettings(options);
    if (settings === null) throw addressFault(instance);
    const connection = await connect(settings, instance);
    if (connection.alone) {
      const message =
        'the document store is no replica set: chains are not undone when they fail, and only the requests of this process are kept ' +
        'apart; a set of one server is enough (mongod --replSet, then rs.initiate())';
      log.warn({ store: instance }, message);
    }
    opened.set(handle, connection);
  },

  plan: (handle, tables, { instance }) => outline(connectionOf(handle), tables, instance),

  adopt: (handle, tables, { instance, log }, progress) =>
    migrate(connectionOf(handle), tables, { store: instance, log, progress }),

  async close(handle) {
    const connection = opened.get(handle);
    opened.delete(handle);
    await connection?.client.close();
  },

  async health(handle) {
    try {
      await connectionOf(handle).db.command({ ping: 1 });
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not answer' };
    }
  },
});
