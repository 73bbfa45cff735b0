/** The connections of one MySQL server. */
import { fillBlindIndexes } from '../shared/fill-indexes.js';
import { createFault } from '../../../contract/fault.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { createPoolPane, dialect, SERIALIZABLE, type Dialect, type Row } from '../kind.js';
import { readTables } from '../shared/found-tables.js';
import { migrate, outlineMigration } from '../shared/migrate.js';
import type { MigrationTarget } from '../shared/migration-types.js';
import { createTableRows } from '../shared/table-rows.light.js';
import { isTriggered, warnTriggered, type Trigger } from '../shared/triggers.js';
import { probeStatements } from './statement-check.js';
import { readObjects, readTriggers } from './catalogue.js';
import { createMysqlAddressFault, createMysqlConnectFault } from './connect.js';
import { createMysqlDialect, type OpenServer } from './dialect.js';
import { createMysqlTarget } from './migrate.js';
import { readMysqlOptions, type MysqlOptions } from './options.js';
import type { WithSession, MigrationSession } from '../shared/session.js';
import mysql from 'mysql2/promise';
import { createPool } from './pool.js';
import type { MysqlConnection } from './connection.js';
import type { MysqlPreparedStatement } from './prepare.js';
import { createTestDatabase, createTestStore } from './test-database.js';

interface MysqlStore extends Dialect {
  /** Null unless it is open. */
  server: OpenServer | null;
  /** Of statements that one of the servers can never run, checked once it is open. */
  readonly refusals: MysqlPreparedStatement['refusals'][];
}

function checkServerSupport({ server, refusals: all }: MysqlStore, { refusals }: MysqlPreparedStatement): void {
  const refusal = server && refusals[server.flavour];
  if (refusal) throw refusal;
  if (refusals.mysql !== null || refusals.mariadb !== null) all.push(refusals);
}

function requireServer({ server }: MysqlStore): OpenServer {
  if (server === null) throw createFault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return server;
}

function createTarget({ options, instance }: Pick<RuntimeContext, 'instance' | 'options'>): MigrationTarget {
  const read = readMysqlOptions(options);
  if (read === null) throw createMysqlAddressFault(instance);
  return createMysqlTarget(createWithSession(read), instance, read.isReplica);
}

async function withConnection<T>(
  { pool }: Pick<OpenServer, 'pool'>,
  read: (wire: MysqlConnection) => Promise<T>,
  lease = pool.acquire(),
): Promise<T> {
  const { wire, release } = await lease;
  try {
    return await read(wire);
  } finally {
    release(false);
  }
}

const fetchTriggers = (server: Pick<OpenServer, 'pool'>): Promise<readonly Trigger[]> =>
  withConnection(server, readTriggers);

export default defineRuntime<Dialect, MysqlStore>(dialect, {
  create({ options }) {
    const isolation = readMysqlOptions(options)?.isolation ?? (() => 'serializable');
    const store = createMysqlDialect(
      () => requireServer(handle),
      (need) => isolation(handle.server?.triggered === true ? SERIALIZABLE : need),
      (prepared) => checkServerSupport(handle, prepared),
    );
    const handle: MysqlStore = Object.assign(store, { server: null, refusals: [] });
    return handle;
  },

  createRowSource: (handle) => createTableRows(handle, { findObstacle: () => findKeptTable(handle) }),

  createConsolePane: (handle, { instance }) => createPoolPane(instance, () => handle.server?.pool.measure() ?? null),

  describeStorage: () => ({
    elsewhere: '`mysqldump --single-transaction` or `mariadb-dump`, or a copy of the server with its binary log',
  }),

  async open(handle, { options, instance, log }) {
    const read = readMysqlOptions(options);
    if (read === null) throw createMysqlAddressFault(instance);
    let server: OpenServer;
    try {
      const pool = await createPool(read, log);
      const { wire, release } = await pool.acquire();
      release(false);
      const triggered = !read.isReplica && isTriggered(await fetchTriggers({ pool }), instance, log);
      server = {
        pool,
        options: read,
        flavour: wire.flavour,
        catalogue: null,
        unknown: new Set(),
        triggered,
        context: { instance, log },
      };
    } catch (error) {
      throw createMysqlConnectFault(instance, error);
    }
    const refusal = handle.refusals.map((refusals) => refusals[server.flavour]).find((one) => one !== null);
    if (refusal) {
      await server.pool.close();
      throw refusal;
    }
    handle.server = server;
  },

  plan: async (_, tables, context, how) => outlineMigration(createTarget(context), tables, how),

  async syncSchema(handle, tables, context, progress, how) {
    const server = requireServer(handle);
    await migrate(createTarget(context), tables, { log: context.log, progress, how });
    server.catalogue = null;
    server.unknown.clear();
    if (server.triggered || server.options.isReplica) return false;
    // Scripts may have made triggers.
    server.triggered = isTriggered(await fetchTriggers(server), context.instance, context.log);
    return server.triggered;
  },

  fillIndexes: (_, tables, context, sources, progress) =>
    fillBlindIndexes(createTarget(context), tables, sources, progress),

  readObjects: (handle, { log }) => withConnection(requireServer(handle), (wire) => readObjects(wire, log)),

  checkStatements: (handle, questions, tables) =>
    withConnection(requireServer(handle), (wire) => probeStatements(wire, questions, tables)),

  createTestDatabase,

  async readTables({ instance, options }, models) {
    const target = createTarget({ options, instance });
    try {
      return await readTables(target, models);
    } catch (error) {
      throw createMysqlConnectFault(instance, error);
    }
  },

  openTestStore: (handle) => createTestStore(handle, (work) => withConnection(requireServer(handle), work)),

  async close(handle) {
    const { server } = handle;
    handle.server = null;
    await server?.pool.close();
  },

  async health(handle) {
    try {
      const server = requireServer(handle);
      const { instance, log } = server.context;
      const isSettled = server.triggered || server.options.isReplica;
      const checkConnection = async (wire: MysqlConnection): Promise<void> => {
        if (isSettled) await wire.runCommand('SELECT 1');
        else server.triggered = warnTriggered(await readTriggers(wire), instance, log);
      };
      const checkServer = (): Promise<void> => withConnection(server, checkConnection, server.pool.acquireSpare());
      // The connection may be lost.
      await checkServer().catch(checkServer);
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not respond' };
    }
  },
});

const KEPT = `SELECT t.table_name AS name FROM information_schema.tables t
  JOIN information_schema.engines e ON e.engine = t.engine
  WHERE t.table_type = 'BASE TABLE' AND e.transactions <> 'YES'
  AND t.table_schema NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys') LIMIT 1`;

async function findKeptTable(handle: Dialect): Promise<string | null> {
  const [table] = await handle.execute(KEPT, [], null);
  return table === undefined
    ? null
    : `The engine of the table "${String(table['name'])}" cannot roll back, so no statement that may write runs on this database.`;
}

const SETTINGS =
  "SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,NO_ENGINE_SUBSTITUTION', " +
  "time_zone = '+00:00'";

/** Its lock and settings end with it, and request timeouts do not apply. */
export const createWithSession =
  ({ client }: Pick<MysqlOptions, 'client'>): WithSession =>
  async (work) => {
    const connection = await mysql.createConnection({ ...client, rowsAsArray: false, multipleStatements: true });
    // Without a listener, a lost connection would end the process.
    connection.on('error', () => undefined);
    const session: MigrationSession = {
      async query(text, values) {
        const [rows] =
          values === undefined ? await connection.query(text) : await connection.execute(text, [...values]);
        return Array.isArray(rows) ? (rows as Row[]) : [];
      },
    };
    try {
      await session.query(SETTINGS);
      return await work(session);
    } finally {
      connection.destroy();
    }
  };
