/**
 * The PostgreSQL server of a run: in a temporary folder, on a free port of 127.0.0.1. The report contains the settings
 * that the server returns, not those that it was started with.
 */
import { execFile } from 'node:child_process';
import { chown } from 'node:fs/promises';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { onCleanup, createTemporaryFolder } from './cleanup.js';
import { listDescendants, findOnPath, pinRunning, readStat } from './proc.js';
import { findFreePort } from './server.js';

const execute = promisify(execFile);

export interface Database {
  readonly url: string;
  readonly client: pg.Client;
  /** Of the server, whose children serve connections. */
  readonly pid: number;
  /** For the report: the version and the settings that affect writes. */
  readonly description: string;
}

export async function startDatabase(core: number | undefined, durable: boolean): Promise<Database> {
  const url = await startPostgres([`synchronous_commit=${durable ? 'on' : 'off'}`], createCluster);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onCleanup(() => client.end());
  const pid = await findServerProcess(client);
  // Later backends get the core of the server.
  if (core !== undefined) pinRunning(core, [pid, ...listDescendants(pid)]);
  return { url, client, pid, description: await describeServer(client) };
}

/** A hot standby that receives the changes of the server at `url`. */
export async function startReplica(url: string): Promise<Pick<Database, 'url' | 'pid'>> {
  const copy = await startPostgres([], (run, data) =>
    run('pg_basebackup', '-d', url, '-D', data, '-R', '-c', 'fast', '-N'),
  );
  const client = new pg.Client({ connectionString: copy });
  await client.connect();
  const pid = await findServerProcess(client);
  await client.end();
  return { url: copy, pid };
}

type RunProgram = (program: string, ...args: string[]) => Promise<unknown>;

const createCluster = (run: RunProgram, data: string): Promise<unknown> =>
  run('initdb', '-D', data, '-A', 'trust', '-U', 'postgres', '--no-sync', '-E', 'UTF8', '--locale=C');

async function startPostgres(
  settings: readonly string[],
  prepare: (run: RunProgram, data: string) => Promise<unknown>,
): Promise<string> {
  const bin = findBinaries();
  const { folder, prefix } = await createServerFolder();
  const port = await findFreePort();
  const run: RunProgram = (program, ...args) => {
    const command = [...prefix, join(bin, program), ...args];
    return execute(command[0] ?? program, command.slice(1), { cwd: folder, timeout: 60_000 });
  };
  const data = join(folder, 'data');
  await prepare(run, data);
  const options = ['-p', port, '-c', 'listen_addresses=127.0.0.1', '-c', `unix_socket_directories=${folder}`];
  for (const setting of [...settings, 'fsync=on', 'checkpoint_timeout=30min']) options.push('-c', setting);
  onCleanup(() => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop').then(() => undefined));
  await run('pg_ctl', '-D', data, '-w', '-o', options.join(' '), '-l', join(folder, 'log'), 'start');
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** PostgreSQL and PgBouncer do not start as root: `prefix` starts a command as the owner of the folder. */
export async function createServerFolder(): Promise<{ readonly folder: string; readonly prefix: readonly string[] }> {
  const folder = await createTemporaryFolder();
  if (process.getuid?.() !== 0) return { folder, prefix: [] };
  await chown(folder, await userId('-u'), await userId('-g'));
  return { folder, prefix: ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', '--'] };
}

function findBinaries(): string {
  const debian = '/usr/lib/postgresql';
  const versions = readdirSafely(debian).map(Number).filter(Number.isFinite);
  if (versions.length > 0) return join(debian, String(Math.max(...versions)), 'bin');
  const initdb = findOnPath('initdb');
  if (initdb === null) throw new Error('no PostgreSQL server binaries (Debian: apt-get install postgresql)');
  return join(initdb, '..');
}

function readdirSafely(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

async function userId(flag: '-u' | '-g'): Promise<number> {
  return Number((await execute('id', [flag, 'postgres'])).stdout);
}

async function findServerProcess(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const server = readStat(rows[0]?.pid ?? 0)?.parent;
  if (server === undefined) throw new Error('the server has no process here');
  return server;
}

async function describeServer(client: pg.Client): Promise<string> {
  const { rows } = await client.query<Record<string, string>>(
    `SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS commit,
            current_setting('fsync') AS fsync`,
  );
  const { version = '?', commit = '?', fsync = '?' } = rows[0] ?? {};
  const waits = commit === 'off' ? 'a commit does not wait for the disk' : 'a commit waits for the disk';
  return `PostgreSQL ${version.split(' ')[0] ?? ''}, synchronous_commit=${commit} (${waits}), fsync=${fsync}`;
}
