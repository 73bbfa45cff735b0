/**
 * A PostgreSQL server for tests: TEST_DATABASE_URL, or the newest local binaries in a temporary folder on a free port.
 * Started once per run and stopped at its end; every suite takes a database of its own. Ends only what it started.
 */
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';

export type TestServer = { readonly url: string; stop(): Promise<void> } | { readonly skip: string };

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;

/** The folder of `initdb` and `pg_ctl`: the newest packaged version, or whatever PATH offers. */
function findBinaries(): string | undefined {
  const packaged = '/usr/lib/postgresql';
  const versions = existsSync(packaged) ? readdirSync(packaged).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(packaged, version, 'bin')),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'pg_ctl')));
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

/** The server refuses to run as root, so root lends itself to the user `postgres`. */
async function asServerUser(program: string, args: readonly string[]): Promise<void> {
  const options = { cwd: tmpdir() };
  if (isRoot) await run('runuser', ['-u', 'postgres', '--', program, ...args], options);
  else await run(program, args, options);
}

async function ownedByServer(folder: string): Promise<void> {
  await chmod(folder, 0o700);
  if (!isRoot) return;
  const ids = await Promise.all(['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)));
  await chown(folder, ids[0] ?? 0, ids[1] ?? 0);
}

async function startLocal(binaries: string): Promise<TestServer> {
  const folder = await mkdtemp(join(tmpdir(), 'lintel-pg-'));
  await ownedByServer(folder);
  const data = join(folder, 'data');
  const port = await freePort();
  const settings = [
    `-p ${port}`,
    '-c listen_addresses=127.0.0.1',
    `-c unix_socket_directories=${folder}`,
    '-c fsync=off',
    '-c max_connections=200',
  ].join(' ');
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await asServerUser(join(binaries, 'initdb'), [
      '-D',
      data,
      '-A',
      'trust',
      '-U',
      'postgres',
      '-E',
      'UTF8',
      '--no-sync',
    ]);
    const log = join(folder, 'log');
    await asServerUser(join(binaries, 'pg_ctl'), ['-D', data, '-w', '-l', log, '-o', settings, 'start']);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await asServerUser(join(binaries, 'pg_ctl'), ['-D', data, '-w', '-m', 'immediate', 'stop']).catch(() => {});
      await remove();
    },
  };
}

async function start(): Promise<TestServer> {
  const given = process.env['TEST_DATABASE_URL'];
  if (given) return { url: given, stop: async () => {} };
  const binaries = findBinaries();
  if (binaries) return startLocal(binaries);
  const reason = 'no TEST_DATABASE_URL and no local PostgreSQL (initdb, pg_ctl)';
  if (process.env['CI'] === 'true') throw new Error(reason);
  return { skip: reason };
}

let server: Promise<TestServer> | undefined;
const made: string[] = [];

/** The server of this run, started by the first suite that asks. */
export function startPostgres(): Promise<TestServer> {
  return (server ??= start());
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

/** A new, empty database; throws where there is no server (ask `startPostgres` first). */
export async function freshDatabase(): Promise<string> {
  const found = await startPostgres();
  if ('skip' in found) throw new Error(found.skip);
  const name = `lintel_test_${randomUUID().replaceAll('-', '')}`;
  await onServer(found.url, `CREATE DATABASE ${name}`);
  made.push(name);
  const url = new URL(found.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops the databases of this run and stops the server, if this run started it. */
export async function stopPostgres(): Promise<void> {
  const found = await server;
  server = undefined;
  if (!found || 'skip' in found) return;
  for (const name of made.splice(0)) {
    await onServer(found.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`).catch(() => {});
  }
  await found.stop();
}

// In a mocha run the end of the run stops the server; elsewhere (benchmarks) the caller does.
if (typeof after === 'function') after(stopPostgres);
