/**
 * Servers for tests with the MySQL protocol: MariaDB (TEST_MARIADB_URL, or `mariadbd` on PATH) and MySQL
 * (TEST_MYSQL_URL, or the program TEST_MYSQLD, created by `.ci/mysqld`, or `mysqld` on PATH). One of each for the whole
 * run, started by the first suite that needs it, in a temporary folder on a free port; every suite uses a separate
 * database.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import mysql from 'mysql2/promise';
import { pickFreePort, skipWithReason, findProgram, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { shareServer, stopSharedServer, runAtEnd } from './shared-server.js';
import { NO_MARIADB, NO_MYSQL } from './skip.js';

export type MysqlFlavour = 'mariadb' | 'mysql';
export interface MysqlServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}
export type TestMysql = ServerOrSkip<MysqlServer>;

const run = promisify(execFile);

/** Settings of one flavour: its URL variable, its program, how its data folder is created and how it is started. */
interface Flavour {
  readonly variable: string;
  readonly program: () => string | undefined;
  readonly hint: string;
  readonly initialise: (program: string, data: string) => Promise<unknown>;
  readonly options: string;
}

/** MariaDB calls its server `mysqld` too. */
const notMariadb = (program: string | undefined): string | undefined =>
  program !== undefined && realpathSync(program).endsWith('mariadbd') ? undefined : program;

const COMMON = '--skip-log-bin --bind-address=127.0.0.1 --max-connections=300 --character-set-server=utf8mb4';

const FLAVOURS: Readonly<Record<MysqlFlavour, Flavour>> = {
  mariadb: {
    variable: 'TEST_MARIADB_URL',
    program: () => findProgram('mariadbd') ?? findProgram('../sbin/mariadbd'),
    hint: NO_MARIADB,
    initialise: (_program, data) =>
      run(
        findProgram('mariadb-install-db') ?? 'mariadb-install-db',
        [
          `--user=${userInfo().username}`,
          `--datadir=${data}`,
          '--auth-root-authentication-method=normal',
          '--skip-test-db',
        ],
        { cwd: tmpdir() },
      ),
    options: `--no-defaults --user=${userInfo().username} ${COMMON} --innodb-flush-log-at-trx-commit=0`,
  },
  mysql: {
    variable: 'TEST_MYSQL_URL',
    program: () => process.env['TEST_MYSQLD'] ?? notMariadb(findProgram('mysqld')),
    hint: NO_MYSQL,
    initialise: (program, data) => run(program, [`--datadir=${data}`, '--initialize-insecure'], { cwd: tmpdir() }),
    options: `${COMMON} --mysqlx=OFF --innodb-flush-log-at-trx-commit=0`,
  },
};

async function onServer(url: string, sql: string): Promise<void> {
  const connection = await mysql.createConnection({ uri: url, connectTimeout: 2000 });
  try {
    await connection.query(sql);
  } finally {
    connection.destroy();
  }
}

/** A server for one suite, always a local one. In the same `data` folder again it is the restarted server. */
export async function startOwnMysql(
  flavour: MysqlFlavour,
  port?: number,
  data?: string,
): Promise<ServerOrSkip<MysqlServer & { readonly port: number }>> {
  const { program: find, hint, initialise, options } = FLAVOURS[flavour];
  const program = find();
  if (program === undefined) return skipWithReason(hint);
  const chosen = port ?? (await pickFreePort());
  const url = `mysql://root@127.0.0.1:${chosen}/`;
  const { stop } = await startGuardedServer({
    name: flavour,
    signal: 'KILL',
    prepare: async (folder) => {
      await chmod(folder, 0o755);
      const place = data ?? join(folder, 'data');
      if (data === undefined || !isMade(place)) await initialise(program, place);
    },
    script: (folder) =>
      `keep '${program}' ${options} --datadir='${data ?? join(folder, 'data')}' --port=${chosen} --socket='${folder}/s.sock' ` +
      `--pid-file='${folder}/pid'`,
    ready: () => onServer(url, 'SELECT 1'),
    patienceMs: 60_000,
  });
  return { url, port: chosen, stop };
}

const isMade = (folder: string): boolean => existsSync(join(folder, 'ibdata1'));

const made: { readonly flavour: MysqlFlavour; readonly name: string }[] = [];

/** The server of this run. */
export function startMysql(flavour: MysqlFlavour): Promise<TestMysql> {
  const given = process.env[FLAVOURS[flavour].variable];
  return shareServer(flavour, async () => (given ? { url: given, stop: async () => {} } : startOwnMysql(flavour)));
}

/** The URL of a new, empty database; throws without a server (call `startMysql` first). */
export async function createMysqlDatabase(flavour: MysqlFlavour): Promise<string> {
  const found = await startMysql(flavour);
  if ('skip' in found) throw new Error(found.skip);
  const name = `lintel_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(found.url, `CREATE DATABASE ${name}`);
  made.push({ flavour, name });
  const url = new URL(found.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the databases of this run and stops the servers that this run started. */
export async function stopMysql(): Promise<void> {
  for (const { flavour, name } of made.splice(0)) {
    const url = process.env[FLAVOURS[flavour].variable];
    if (url) await onServer(url, `DROP DATABASE IF EXISTS ${name}`).catch(() => {});
  }
  await Promise.all([stopSharedServer('mariadb'), stopSharedServer('mysql')]);
}

runAtEnd(stopMysql);
