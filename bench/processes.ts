/**
 * `--processes`: requests per second of one and of two processes, directly, behind PgBouncer, and with reads on a replica.
 * CPU time per request of the processes and of the database is what the model in `docs/speed.md` calculates with. Nothing is
 * pinned to cores.
 */
import { spawn } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { onCleanup } from './cleanup.js';
import { waitUntil } from '../test/support/until.js';
import { createServerFolder, startDatabase, startReplica, type Database } from './database.js';
import { findLoadGenerator, type LoadRunner } from './load.js';
import { selectByName, type Options } from './options.js';
import { findOnPath, readTreeCpuMicros } from './proc.js';
import { median } from './report.js';
import { rotateItems } from './rounds.js';
import { rows, type Row } from './rows.js';
import { findFreePort, startServer, type Server } from './server.js';
import { createTables, createTableLedger, resetTables } from './tables.js';
import { createLintelTarget, root } from './targets.js';
import { verify } from './verify.js';

/** The rows that need the database most, least, and in between. */
const MEASURED = ['health', 'account-read', 'account-create', 'wallet-add'];
/** The resource whose query names the replica. */
const REPLICATED = 'account-read';
const CONNECTIONS = 16;

interface Setup {
  readonly name: string;
  readonly servers: readonly Server[];
  /** Process ids of the database servers and of poolers. */
  readonly databases: readonly number[];
}

interface Sample {
  readonly row: string;
  readonly setup: string;
  readonly perSecond: number;
  readonly cpuMicros: number;
  readonly databaseMicros: number;
}

async function writeReplicaInstallation(folder: string): Promise<string> {
  const home = join(folder, 'replica');
  await cp(join(root, 'bench/definitions'), join(home, 'definitions'), { recursive: true });
  const config = JSON.parse(await readFile(join(root, 'bench/lintel.config.json'), 'utf8')) as Record<string, object>;
  const copy = { use: 'postgres', url: '$ENV.REPLICA_URL', replica_of: 'main' };
  const connections = { ...config['connections'], copy };
  await writeFile(join(home, 'lintel.config.json'), JSON.stringify({ ...config, connections }));
  const file = join(home, `definitions/resources/${REPLICATED}.json`);
  const text = await readFile(file, 'utf8');
  await writeFile(file, text.replace('"sql_query": {', '"sql_query": { "connection": "copy",'));
  return join(home, 'lintel.config.json');
}

/** PgBouncer with a pool for each session, because versions before 1.21 do not support prepared statements otherwise. */
async function startPooler(url: string): Promise<{ readonly url: string; readonly pid: number } | null> {
  const program = findOnPath('pgbouncer');
  if (program === null) return null;
  const port = await findFreePort();
  const { port: target } = new URL(url);
  const { folder, prefix } = await createServerFolder();
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `postgres = host=127.0.0.1 port=${target} user=postgres`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = session',
    'default_pool_size = 60',
    'max_client_conn = 200',
    'ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout,options',
  ];
  await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o644 });
  const [command = '', ...args] = [...prefix, program, '-q', file];
  const child = spawn(command, args, { stdio: 'ignore' });
  onCleanup(async () => void child.kill('SIGINT'));
  const pooled = `postgres://postgres@127.0.0.1:${port}/postgres`;
  await waitUntil(() => canConnect(pooled), 'PgBouncer to accept connections', 10_000);
  return { url: pooled, pid: child.pid ?? 0 };
}

/** PgBouncer has no event for a client that waits for its start. */
async function canConnect(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  const isConnected = await client.connect().then(
    () => true,
    () => false,
  );
  await client.end().catch(() => undefined);
  return isConnected;
}

async function openSetups(folder: string, database: Database): Promise<Setup[]> {
  const replica = await startReplica(database.url);
  const pooler = await startPooler(database.url);
  const own = createLintelTarget('lintel', join(root, 'bench/lintel.config.json'));
  const replicated = createLintelTarget('lintel', await writeReplicaInstallation(folder));
  const start = (variables: Record<string, string>, target = own): Promise<Server> =>
    startServer(target, variables, undefined);
  // Only named by the row with an outbound call.
  const unused = { BENCH_REMOTE: 'http://127.0.0.1:1' };
  const direct = { ...unused, DATABASE_URL: database.url };
  const [one, two] = [await start(direct), await start(direct)];
  const setups: Setup[] = [
    { name: '1 process', servers: [one], databases: [database.pid] },
    { name: '2 processes', servers: [one, two], databases: [database.pid] },
  ];
  if (pooler !== null) {
    const pooled = { ...unused, DATABASE_URL: pooler.url };
    const servers = [await start(pooled), await start(pooled)];
    setups.push({ name: '2 processes, PgBouncer', servers, databases: [database.pid, pooler.pid] });
  }
  const copied = { ...direct, REPLICA_URL: replica.url };
  const servers = [await start(copied, replicated), await start(copied, replicated)];
  setups.push({ name: '2 processes, reads on a replica', servers, databases: [database.pid, replica.pid] });
  return setups;
}

async function measureSetup(setup: Setup, row: Row, seconds: number, fire: LoadRunner): Promise<Sample> {
  const sumCpu = (pids: readonly number[]): number => pids.reduce((sum, pid) => sum + readTreeCpuMicros(pid), 0);
  const pids = setup.servers.map(({ pid }) => pid);
  const [used, stored] = [sumCpu(pids), sumCpu(setup.databases)];
  const connections = (2 * CONNECTIONS) / setup.servers.length;
  const loads = await Promise.all(setup.servers.map(({ url }) => fire({ url, row, connections, seconds })));
  const requests = loads.reduce((sum, load) => sum + load.requests, 0);
  const errors = loads.reduce((sum, load) => sum + load.errors, 0);
  if (errors > 0) throw new Error(`${row.title}, ${setup.name}: ${errors} requests were not answered with success`);
  return {
    row: row.name,
    setup: setup.name,
    perSecond: loads.reduce((sum, load) => sum + load.requests / load.seconds, 0),
    cpuMicros: (sumCpu(pids) - used) / requests,
    databaseMicros: (sumCpu(setup.databases) - stored) / requests,
  };
}

export async function measureProcesses(
  folder: string,
  options: Options,
  print: (line: string) => void,
): Promise<number> {
  const chosen = selectByName(rows, options.rows ?? MEASURED);
  const database = await startDatabase(undefined, options.durable);
  await createTables(database.client);
  await resetTables(database.client);
  const { fire, name } = findLoadGenerator(folder, undefined);
  const setups = await openSetups(folder, database);
  print(`${database.description}\n${name}, ${2 * CONNECTIONS} connections, ${options.rounds} rounds after a warm-up`);
  if (setups.length < 4) print('left out: PgBouncer, because it is not installed (Debian: apt-get install pgbouncer)');
  for (const row of chosen)
    await verify(
      row,
      setups.flatMap(({ servers }) => servers),
    );
  const samples: Sample[] = [];
  const ledger = createTableLedger(database.client);
  for (let round = 0; round <= options.rounds; round++) {
    for (const row of rotateItems(chosen, round)) {
      for (const setup of rotateItems(setups, round)) {
        const [server] = setup.servers;
        if (server !== undefined) await ledger.reset(server);
        const sample = await measureSetup(setup, row, options.seconds, fire);
        if (round > 0) samples.push(sample);
      }
    }
  }
  print(`\n${formatTable(samples, chosen, setups)}`);
  return 0;
}

function formatTable(samples: readonly Sample[], chosen: readonly Row[], setups: readonly Setup[]): string {
  const lines = [
    '| row | setup | requests/s | × 1 process | CPU µs/request, processes | CPU µs/request, database |',
    '| --- | --- | ---: | ---: | ---: | ---: |',
  ];
  for (const row of chosen) {
    const read = (setup: Setup, key: 'perSecond' | 'cpuMicros' | 'databaseMicros'): number =>
      median(samples.filter((one) => one.row === row.name && one.setup === setup.name).map((one) => one[key]));
    for (const setup of setups) {
      const [first = setup] = setups;
      const cells = [
        row.title,
        setup.name,
        read(setup, 'perSecond').toFixed(0),
        (read(setup, 'perSecond') / read(first, 'perSecond')).toFixed(2),
        read(setup, 'cpuMicros').toFixed(0),
        read(setup, 'databaseMicros').toFixed(0),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
  }
  return lines.join('\n');
}
