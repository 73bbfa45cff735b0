/** Runtime of the dialect `mysql`: opens, closes, migrates and checks the connections of one server. */
import { fault } from '../../../contract/fault.js';
import { defineRuntime, type RuntimeContext } from '../../../contract/plugin.js';
import { dialect, SERIALIZABLE, type Dialect } from '../kind.js';
import { migrate, outline, type Migrated } from '../shared/migrate.js';
import { isTriggered } from '../shared/triggers.js';
import { askWire } from './asked.js';
import { readTriggers } from './catalogue.js';
import { addressFault, connectFault } from './connect.js';
import { createDialect, type Server } from './dialect.js';
import { mysqlMigrated } from './migrate.js';
import { sessionsOn } from './migration-session.js';
import { readOptions } from './options.js';
import { createPool } from './pool.js';
import { selectOne, type MyPrepared } from './prepare.js';

const servers = new WeakMap<Dialect, Server>();

/** Statements that one of the servers can never run, checked once it is open. */
const doubtful = new WeakMap<Dialect, MyPrepared['refusals'][]>();

function meet(handle: Dialect, { refusals }: MyPrepared): void {
  const server = servers.get(handle);
  const refusal = server && refusals[server.flavour];
  if (refusal) throw refusal;
  if (refusals.mysql === null && refusals.mariadb === null) return;
  doubtful.set(handle, [...(doubtful.get(handle) ?? []), refusals]);
}

function serverOf(handle: Dialect): Server {
  const server = servers.get(handle);
  if (!server) throw fault('QRY_UNAVAILABLE', {}, { retryable: true, headers: { 'retry-after': '1' } });
  return server;
}

function migrated({ options, instance }: RuntimeContext): Migrated {
  const read = readOptions(options);
  if (read === null) throw addressFault(instance);
  return mysqlMigrated(sessionsOn(read), instance);
}

const probe = selectOne();

export default defineRuntime(dialect, {
  create({ options }) {
    const isolation = readOptions(options)?.isolation ?? (() => 'serializable');
    const handle = createDialect(
      () => serverOf(handle),
      (need) => isolation(servers.get(handle)?.triggered === true ? SERIALIZABLE : need),
      (prepared) => meet(handle, prepared),
    );
    return handle;
  },

  keeps: () => ({
    elsewhere: '`mysqldump --single-transaction` or `mariadb-dump`, or a copy of the server with its binary log',
  }),

  async open(handle, { options, instance, log }) {
    const read = readOptions(options);
    if (read === null) throw addressFault(instance);
    let server: Server;
    try {
      const pool = await createPool(read, log);
      const { wire, release } = await pool.lease();
      const triggered = isTriggered(await readTriggers(wire), instance, log);
      release(false);
      server = { pool, flavour: wire.flavour, catalogue: null, unknown: new Set(), triggered };
    } catch (error) {
      throw connectFault(instance, error);
    }
    const refusal = (doubtful.get(handle) ?? [])
      .map((refusals) => refusals[server.flavour])
      .find((one) => one !== null);
    if (refusal) {
      await server.pool.close();
      throw refusal;
    }
    servers.set(handle, server);
  },

  plan: async (_, tables, context, how) => outline(migrated(context), tables, how),

  async adopt(handle, tables, context, progress, how) {
    const server = serverOf(handle);
    await migrate(migrated(context), tables, { log: context.log, progress, how });
    server.catalogue = null;
    server.unknown.clear();
  },

  async ask(handle, questions, tables) {
    const { wire, release } = await serverOf(handle).pool.lease();
    try {
      return await askWire(wire, questions, tables);
    } finally {
      release(false);
    }
  },

  async close(handle) {
    const pool = servers.get(handle)?.pool;
    servers.delete(handle);
    await pool?.close();
  },

  async health(handle) {
    try {
      await handle.run(probe, [], null);
      return { ok: true };
    } catch {
      return { ok: false, detail: 'the database does not answer' };
    }
  },
});
