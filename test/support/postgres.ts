/**
 * A PostgreSQL server for tests: TEST_DATABASE_URL, or the newest local binaries in a temporary folder on a free port.
 * Started once per run and stopped at its end; every suite uses a separate database. Stops only what it started.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { pickFreePort, skipWithReason, startGuardedServer, type ServerOrSkip } from './guarded-server.js';
import { shareServer, stopSharedServer, runAtEnd } from './shared-server.js';
import { NO_POSTGRES } from './skip.js';

export type TestServer = ServerOrSkip<{ readonly url: string; stop(): Promise<void> }>;

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** The folder of `initdb` and `postgres`: the newest packaged version, or whatever PATH offers. */
function findBinaries(): string | undefined {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(packaged, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** The server does not run as root, so root becomes the user `postgres`, in place: its id is then the server's. */
const LEND = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] : [];

async function ownedByServer(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  if (!isRoot) return;
  const ids = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)));
  await chown(folder, ids[0] ?? 0, ids[1] ?? 0);
}

/** With a password the server requires it; without one it trusts all clients. */
async function initialiseCluster(binaries: string, folder: string, password: string | null): Promise<void> {
  const file = join(folder, 'password');
  if (password !== null) await writeFile(file, password, { mode: 0o644 });
  await ownedByServer(folder);
  const init = [join(binaries, 'initdb'), '-D', join(folder, 'data')];
  const logins = password === null ? ['-A', 'trust'] : ['-A', 'scram-sha-256', `--pwfile=${file}`];
  const [program = '', ...args] = [...LEND, ...init, ...logins, '-U', 'postgres', '-E', 'UTF8', '--no-sync'];
  await run(program, args, { cwd: tmpdir() });
}

async function startLocal(
  binaries: string,
  port: number,
  password: string | null,
  prepare = (folder: string): Promise<void> => initialiseCluster(binaries, folder, password),
): Promise<TestServer> {
  const url = `postgres://postgres${password === null ? '' : `:${password}`}@127.0.0.1:${port}/postgres`;
  const program = [...LEND, `'${join(binaries, 'postgres')}'`].join(' ');
  const settings = '-c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 -c deadlock_timeout=100ms';
  const { stop } = await startGuardedServer({
    name: 'pg',
    signal: 'QUIT',
    prepare,
    script: (folder) =>
      `keep ${program} -D '${folder}/data' -p ${port} ${settings} -c unix_socket_directories='${folder}'`,
    ready: () => onServer(url, 'SELECT 1'),
  });
  return { url, stop };
}

async function start(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => {} };
  const binaries = findBinaries();
  if (binaries) return startLocal(binaries, await pickFreePort(), null);
  return skipWithReason(NO_POSTGRES);
}

/** A server for one suite, always a local one, which requires a password. The caller stops it. */
export async function startOwnPostgres(port: number, password: string): Promise<TestServer> {
  const binaries = findBinaries();
  return binaries ? startLocal(binaries, port, password) : skipWithReason(NO_POSTGRES);
}

/** A hot standby of a server of `startOwnPostgres`. The caller stops it, before its primary. */
export async function startOwnReplica(primary: string, port: number, password: string): Promise<TestServer> {
  const binaries = findBinaries();
  if (!binaries) return skipWithReason(NO_POSTGRES);
  return startLocal(binaries, port, password, async (folder) => {
    await ownedByServer(folder);
    const copy = [join(binaries, 'pg_basebackup'), '-d', primary, '-D', join(folder, 'data'), '-R', '-c', 'fast', '-N'];
    const [program = '', ...args] = [...LEND, ...copy];
    await run(program, args, { cwd: tmpdir() });
  });
}

/** Commands of `pg_ctl` for a server of `startOwnPostgres`; one that was restarted is stopped by the caller too. */
export async function controlPostgres(data: string, ...words: readonly string[]): Promise<void> {
  const binaries = findBinaries() ?? '';
  const [program = '', ...args] = [...LEND, join(binaries, 'pg_ctl'), ...words, '-w', '-s', '-D', data];
  const log = ['restart', 'start'].includes(words[0] ?? '') ? ['-l', join(data, 'restarted.log')] : [];
  await run(program, [...args, ...log], { cwd: tmpdir() });
}

export const hasLocalPostgres = (): boolean => findBinaries() !== undefined;

const made: string[] = [];

/** The server of this run, started by the first suite that needs it. */
export function startPostgres(): Promise<TestServer> {
  return shareServer('postgres', start);
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Takes half of the time of the default, which logs every page. */
const COPY_FILES = ' STRATEGY file_copy';
const SYNTAX_ERROR = '42601';

/** Servers before 15 have one strategy and reject its name. */
const createDatabase = (url: string, name: string): Promise<void> =>
  onServer(url, `CREATE DATABASE ${name}${COPY_FILES}`).catch((error: unknown) => {
    if (!(error instanceof pg.DatabaseError) || error.code !== SYNTAX_ERROR) throw error;
    return onServer(url, `CREATE DATABASE ${name}`);
  });

/** A new, empty database; throws without a server (call `startPostgres` first). */
export async function createPostgresDatabase(): Promise<string> {
  const found = await startPostgres();
  if ('skip' in found) throw new Error(found.skip);
  const name = `lintel_test_${randomUUID().replaceAll('-', '')}`;
  await createDatabase(found.url, name);
  made.push(name);
  const url = new URL(found.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the databases of this run and stops the server, if this run started it. */
export async function stopPostgres(): Promise<void> {
  const url = process.env['TEST_DATABASE_URL'];
  // The databases of a server that this run started go with it.
  for (const name of url ? made.splice(0) : []) {
    await onServer(url!, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => {});
  }
  await stopSharedServer('postgres');
}

runAtEnd(stopPostgres);
