/**
 * Runs the dialect contract against MariaDB and MySQL, and cases of their servers: timeouts, lost connections,
 * deadlocks, rejected logins.
 */
import { expect } from 'chai';
import client, { type RowDataPacket } from 'mysql2/promise';
import { BootError } from '../../contract/boot-error.js';
import type { Fault } from '../../contract/fault.js';
import type { RuntimeContext } from '../../contract/plugin.js';
import { scanSql } from '../../plugins/queries/sql/text/scan.js';
import mysql from '../../plugins/dialects/mysql/runtime.js';
import { startFaultProxy } from '../support/fault-proxy.js';
import { createMysqlDatabase, startMysql, type MysqlFlavour } from '../support/mysql.js';
import type { Dialect } from '../../plugins/dialects/kind.js';
import { waitUntil } from '../support/until.js';
import { dialectContract } from './dialect.contract.js';
import { MARIADB, MYSQL } from './dialect-flavour.js';
import { openDialect } from './dialect-open.js';
import { testDialectServer } from './dialect-server.js';
import { createRunner, defineColumn, catchFault, defineTable, type MakeConnection } from './dialect-support.js';
import { BY_LOCKS } from '../../plugins/dialects/kind.js';

const doNothing = (): void => {};
const log = { debug: doNothing, info: doNothing, warn: doNothing, error: doNothing };
const HEAVY =
  'SELECT count(*) FROM information_schema.collations a, information_schema.collations b, information_schema.collations c, information_schema.collations d';

async function onServer(url: string, sql: string): Promise<RowDataPacket[]> {
  const connection = await client.createConnection({ uri: url });
  try {
    return (await connection.query<RowDataPacket[]>(sql))[0];
  } finally {
    connection.destroy();
  }
}

const OTHERS =
  'SELECT id AS id, info AS info FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()';

const isSlow = async (url: string): Promise<boolean> =>
  (await onServer(url, OTHERS)).some((row) => String(row['info']).includes('SLEEP(5)'));

for (const flavour of ['mariadb', 'mysql'] as const satisfies readonly MysqlFlavour[]) {
  const make = async (): ReturnType<MakeConnection> => {
    const server = await startMysql(flavour);
    return 'skip' in server ? server : openDialect(mysql, { url: await createMysqlDatabase(flavour) });
  };
  dialectContract(flavour, make, flavour === 'mysql' ? MYSQL : MARIADB);
  describe(`dialect ${flavour}, with a server`, () => withServer(flavour));
}

function withServer(flavour: MysqlFlavour): void {
  const { url, open } = testDialectServer({
    runtime: mysql,
    async make() {
      const server = await startMysql(flavour);
      return 'skip' in server ? server : createMysqlDatabase(flavour);
    },
    async end(at) {
      for (const { id } of await onServer(at, OTHERS)) await onServer(at, `KILL ${Number(id)}`).catch(() => undefined);
    },
    connections: async (at) => (await onServer(at, OTHERS)).length,
    slowInsert: 'INSERT INTO once (id, n) SELECT 1, SLEEP(5)',
    isSlow,
    hasLogins: true,
  });

  it('cancels a statement after its timeout, also one that writes', async () => {
    const { run } = await open({ statement_timeout: 0.2 });
    const fault = await catchFault(run(HEAVY));
    expect(fault.code).to.equal('QRY_TIMEOUT');
    expect(fault.options.headers).to.deep.equal({ 'retry-after': '1' });
    await run('CREATE TABLE slow (id int PRIMARY KEY, n int)');
    await run('INSERT INTO slow (id, n) VALUES (1, 1)');
    expect((await catchFault(run('UPDATE slow SET n = n + SLEEP(5)'))).code).to.equal('QRY_TIMEOUT');
    await waitUntil(async () => !(await isSlow(url())), 'the statement is stopped');
    expect(await run('SELECT n FROM slow')).to.deep.equal([{ n: 1 }]);
  });

  it('breaks a deadlock: one of the two can be retried', async () => {
    const { run, handle } = await open();
    await run('CREATE TABLE pair (id int PRIMARY KEY, n int)');
    await run('INSERT INTO pair (id, n) VALUES (1, 0), (2, 0)');
    const update = 'UPDATE pair SET n = n + 1 WHERE id = $1';
    const [a, b] = [await handle.begin(BY_LOCKS), await handle.begin(BY_LOCKS)];
    await run(update, [1], [], a);
    await run(update, [2], [], b);
    const ends = await Promise.allSettled([run(update, [2], [], a), run(update, [1], [], b)]);
    const rejected = ends.filter((end) => end.status === 'rejected');
    expect(rejected).to.have.length(1);
    const reason: unknown = rejected[0]?.reason;
    expect((reason as Fault).code).to.equal('QRY_SERIALIZATION');
    expect(handle.retryable(reason)).to.equal(true);
    await handle.rollback(a);
    await handle.rollback(b);
  });

  it('does not open with a statement that the server can never run, and leaves no connection open', async () => {
    const context = { options: { url: url(), pool_size: 1 }, instance: 'main', log } as unknown as RuntimeContext;
    const refusing = (tables: readonly string[]): Dialect => {
      const handle = mysql.create?.(context) ?? expect.fail('no handle');
      for (const name of tables) {
        const model = defineTable(name, defineColumn('a', 'integer'));
        const scan = scanSql(`INSERT INTO ${name} (a) VALUES (1) RETURNING a`);
        handle.prepare({ scan, jsonColumns: [], tables: [model] });
      }
      return handle;
    };
    const before = (await onServer(url(), OTHERS)).length;
    for (const tables of [['x'], ['y', 'z']]) {
      const handle = refusing(tables);
      const opened: unknown = await Promise.resolve(mysql.open?.(handle, context)).catch((error: unknown) => error);
      if (flavour === 'mysql') {
        // The first of them is reported.
        expect(opened).to.be.instanceOf(BootError).and.include({ code: 'QRY_NOT_TRANSLATED' });
        expect((opened as BootError).params['what']).to.include(` ${tables[0]},`);
      } else {
        // The only connection is free.
        expect(await mysql.health?.(handle)).to.deep.equal({ ok: true });
        await mysql.close?.(handle);
      }
    }
    await waitUntil(async () => (await onServer(url(), OTHERS)).length <= before, 'no connection is left');
  });

  it('is unavailable without its server, whether or not its triggers were read', async () => {
    const made = await openDialect(mysql, { url: url() });
    const run = createRunner(() => made.handle);
    await run('CREATE TABLE counted (id int PRIMARY KEY, n int)');
    await onServer(
      url(),
      'CREATE TRIGGER counts BEFORE INSERT ON counted FOR EACH ROW INSERT INTO counted VALUES (9, 9)',
    );
    const address = new URL(url());
    const proxy = await startFaultProxy({ host: address.hostname, port: Number(address.port) });
    address.port = String(proxy.port);
    const behind = await openDialect(mysql, { url: address.href });
    try {
      expect(await behind.health()).to.equal(true);
      await proxy.rejectConnections();
      expect(await behind.health()).to.equal(false);
    } finally {
      await onServer(url(), 'DROP TABLE counted');
      await Promise.all([made.close(), behind.close()]);
      await proxy.close();
    }
  });

  it('locks the rows of a read whose result is written', async () => {
    const { run, handle } = await open();
    await run('CREATE TABLE fed (id int PRIMARY KEY, n int)');
    await run('INSERT INTO fed (id, n) VALUES (1, 0)');
    const scan = scanSql('SELECT n FROM fed WHERE id = $1');
    const locked = handle.prepare({ scan, jsonColumns: [false], lock: 'update' });
    expect(locked.readOnly).to.equal(false);
    const add = async (): Promise<void> => {
      const transaction = await handle.begin(BY_LOCKS);
      const [row] = await handle.run(locked, [1], transaction);
      await run('UPDATE fed SET n = $1 WHERE id = 1', [Number(row?.['n']) + 1], [], transaction);
      await handle.commit(transaction);
    };
    await Promise.all(Array.from({ length: 10 }, add));
    expect(await run('SELECT n FROM fed')).to.deep.equal([{ n: 10 }]);
  });
}
