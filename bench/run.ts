/**
 * `npm run bench`: starts the database and the servers, compares responses, measures interleaved rounds, and prints a
 * Markdown table. A wrong response or a failed request makes the exit code 1. However the run ends, it stops every
 * process that it started.
 */
import { writeFile } from 'node:fs/promises';
import { availableParallelism, cpus } from 'node:os';
import { runCleanup, createTemporaryFolder } from './cleanup.js';
import { measureCompileMs } from './compile.js';
import { startDatabase } from './database.js';
import { measureDatabases } from './databases/measure.js';
import { measureEditor } from './editor/measure.js';
import { measureJobs } from './jobs/measure.js';
import { measureKills } from './kills.js';
import { findLoadGenerator } from './load.js';
import { selectByName, type Options, readOptions, usage } from './options.js';
import { measureLatency } from './latency.js';
import { measureOverload } from './overload.js';
import { findPinnableCores, readResidentMiB } from './proc.js';
import { countErrors, formatReportTable, listWarnings } from './report.js';
import { measureRows, type Sample } from './rounds.js';
import { measureProcesses } from './processes.js';
import { type Row, rows } from './rows.js';
import { scaledRows, createScaleTargets } from './scale.js';
import { findServable, type ServableTarget } from './servable-rows.js';
import { type Server, startServer } from './server.js';
import { measureSockets } from './sockets/measure.js';
import { createTables, createTableLedger, resetTables } from './tables.js';
import { baseline, contenders, remote, type Target } from './targets.js';
import { measureUploads } from './uploads.js';
import { verify, verifySum } from './verify.js';

async function main(options: Options): Promise<number> {
  if (options.scale && options.targets !== null) throw new Error('--scale measures our own server only');
  const folder = await createTemporaryFolder();
  if (options.uploads) return measureUploads(folder, options.rounds, console.log);
  if (options.overload) return measureOverload(folder, options.seconds, console.log);
  if (options.kills) return measureKills(options.count, console.log);
  if (options.processes) return measureProcesses(folder, options, console.log);
  if (options.sockets) return measureSockets(options, console.log);
  if (options.editor) return measureEditor(folder, options, console.log);
  if (options.databases) return measureDatabases(folder, options, console.log);
  if (options.jobs) return measureJobs(folder, options, console.log);
  const ours = await findServable(folder);
  const chosenRows = selectRows(options, ours);
  if (options.latency) return measureLatency(options, chosenRows, ours.lintel, console.log);
  const chosenTargets = options.scale ? await createScaleTargets(folder) : withBaseline(options.targets, ours.lintel);
  const cores = findPinnableCores();
  const generator = findLoadGenerator(folder, cores?.rest);
  const database = await startDatabase(cores?.rest, options.durable);
  await createTables(database.client);
  console.log(formatHeading(options, generator.name, database.description, cores !== null));

  const compiled = await measureCompileMs(folder, 200);
  console.log(`200 resources read, checked and compiled in ${compiled.toFixed(0)} ms`);

  // On the core of the database, because no measured server includes it.
  const other = await startServer(remote, {}, cores?.rest);
  const variables = { DATABASE_URL: database.url, BENCH_REMOTE: other.url };
  const servers: Server[] = [];
  for (const target of chosenTargets) {
    const server = await startServer(target, variables, cores?.server);
    console.log(
      `${server.name}: first answer after ${server.startMs.toFixed(0)} ms, ${server.idleMiB.toFixed(0)} MiB idle`,
    );
    servers.push(server);
  }
  for (const row of chosenRows) {
    await resetTables(database.client);
    await verify(row, servers);
    for (const server of servers) await verifySum(row, server, createTableLedger(database.client));
  }
  console.log(`answers verified: ${chosenRows.map((row) => row.name).join(', ')}\n`);

  const samples = await measureRows({
    servers,
    rows: chosenRows,
    rounds: options.rounds,
    seconds: options.seconds,
    connections: options.connections,
    fire: generator.fire,
    ledger: createTableLedger(database.client),
    print: console.log,
  });
  return report(options, samples, chosenRows, servers);
}

async function report(options: Options, samples: Sample[], chosen: Row[], servers: Server[]): Promise<number> {
  const names = servers.map((server) => server.name);
  console.log(`\n${formatReportTable(samples, chosen, names)}\n`);
  for (const server of servers)
    console.log(`${server.name}: ${readResidentMiB(server.pid).toFixed(0)} MiB after the rounds`);
  for (const warning of listWarnings(samples)) console.log(`warning: ${warning}`);
  if (options.json !== null) await writeFile(options.json, `${JSON.stringify({ options, samples }, null, 2)}\n`);
  const errors = countErrors(samples);
  if (errors === 0) return 0;
  for (const server of servers)
    if (server.getOutput() !== '') console.log(`${server.name} printed:\n${server.getOutput()}`);
  console.log(`failed: ${errors} requests were not answered with success; the numbers mean nothing`);
  return 1;
}

function formatHeading(options: Options, generator: string, database: string, pinned: boolean): string {
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? 'unknown'})`;
  const roles = pinned ? 'server on one core, generator and database on another' : 'roles not pinned to cores';
  return [
    `Node ${process.version}, ${machine}; ${roles}`,
    database,
    `${generator}, ${options.connections} connections, ${options.rounds} rounds of ${options.seconds} s after a warm-up`,
  ].join('\n');
}

function withBaseline(names: readonly string[] | null, lintel: Target): Target[] {
  const all = [baseline, lintel, ...contenders];
  return selectByName(all, [baseline.name, ...(names ?? [lintel.name])]);
}

/** The named rows, or all except the extra ones. Rows that this build cannot serve are left out with a message. */
function selectRows(options: Options, { missing }: ServableTarget): Row[] {
  const all = options.scale ? rows.filter(isScalable) : rows;
  const wanted = options.rows === null ? all.filter(({ extra }) => extra !== true) : selectByName(all, options.rows);
  return wanted.filter(({ name, title }) => {
    const lack = missing.find(({ row }) => row === name);
    if (lack !== undefined)
      console.log(`left out: ${title} (${name}), because this build does not know it: ${lack.why}`);
    return lack === undefined;
  });
}

function isScalable(row: Row): boolean {
  return scaledRows.some((name) => name === row.name);
}

/** Far longer than a run takes; it ends a run that hangs. */
function limitSeconds(options: Options): number {
  return 300 + (options.rounds + 1) * rows.length * 2 * (options.seconds + 25);
}

async function run(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options.help) {
    console.log(usage);
    return 0;
  }
  setTimeout(
    () => {
      console.error('the benchmark took too long and was ended');
      void endRun(1);
    },
    limitSeconds(options) * 1000,
  ).unref();
  return main(options);
}

let ending: Promise<never> | undefined;

/** The first reason sets the exit code; errors caused by the clean-up are not reported. */
function endRun(code: number, message?: unknown): Promise<never> {
  if (ending === undefined && message !== undefined) console.error(message);
  ending ??= runCleanup().then(() => process.exit(code));
  return ending;
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void endRun(130, 'interrupted'));
// A closed output (`| head`) ends the run too; without this listener the process would end before the clean-up.
process.stdout.on('error', () => void endRun(1));
await run().then(
  (code) => endRun(code),
  (error: unknown) => endRun(1, error instanceof Error ? error.message : error),
);
