/**
 * `--latency`: p50 and p99 of each row at half of the capacity of the hand-written service, in Lintel and in that
 * service, in interleaved rounds. Requests are sent at fixed times on 32 connections, whether earlier ones are answered or
 * not. Goal: the p99 is at most 1.5 times that of the hand-written service.
 */
import { Agent } from 'node:http';
import { startDatabase } from './database.js';
import type { Options } from './options.js';
import { listTimes, measureCapacity, percentile, runLoad, sendTimed, type TimedAnswer } from './overload.js';
import { findPinnableCores, pinRunning } from './proc.js';
import { median } from './report.js';
import { rotateItems } from './rounds.js';
import { buildRowRequest, type Row } from './rows.js';
import { startServer, type Server } from './server.js';
import { createTables, resetTables } from './tables.js';
import { baseline, remote, type Target } from './targets.js';

const CLIENTS = 32;
const REQUESTS = 1000;

/** Each call sends the next request of the row; after the last one it begins again. */
function createSender({ url }: Server, row: Row, agent: Agent): () => Promise<TimedAnswer> {
  const all = Array.from({ length: REQUESTS }, (_, n) => buildRowRequest(row, n));
  let next = 0;
  return () => {
    const { path, ...rest } = all[next++ % REQUESTS] ?? buildRowRequest(row, 0);
    return sendTimed({ url: `${url}${path}`, agent, ...rest });
  };
}

export async function measureLatency(
  { rounds, seconds }: Options,
  rows: readonly Row[],
  ours: Target,
  print: (line: string) => void,
): Promise<number> {
  const cores = findPinnableCores();
  // On the core of a server, the generator would delay the responses that it measures.
  if (cores !== null) pinRunning(cores.rest, [process.pid]);
  const database = await startDatabase(cores?.rest, false);
  await createTables(database.client);
  print(`${database.description}\n`);
  const other = await startServer(remote, {}, cores?.rest);
  const variables = { DATABASE_URL: database.url, BENCH_REMOTE: other.url };
  const servers: Server[] = [];
  for (const target of [baseline, ours]) servers.push(await startServer(target, variables, cores?.server));
  // With a connection for each late request, a pause of 50 ms would open thousands. The time limit is shorter than the idle
  // timeout of the servers.
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, timeout: 3000 });
  print('| row | requests/s | baseline p50, p99 ms | lintel p50, p99 ms | p99, lintel × baseline (min..max) |');
  print('| --- | ---: | ---: | ---: | ---: |');
  let failed = 0;
  for (const row of rows) {
    await resetTables(database.client);
    const senders = servers.map((server) => ({ name: server.name, send: createSender(server, row, agent) }));
    for (const { send } of senders) await measureCapacity(send, CLIENTS, 1);
    const [first] = senders;
    if (first === undefined) throw new Error('no server');
    const rate = (await measureCapacity(first.send, CLIENTS, 1)) / 2;
    if (rate === 0) throw new Error(`${row.title}: the hand-written service answers no request with success`);
    const figures = new Map(senders.map(({ name }) => [name, { half: [] as number[], most: [] as number[] }]));
    for (let round = 0; round < rounds; round++) {
      for (const { name, send } of rotateItems(senders, round)) {
        const shots = await runLoad(send, rate, seconds);
        const times = listTimes(shots, (status) => status === 200);
        failed += shots.length - times.length;
        figures.get(name)?.half.push(percentile(times, 0.5));
        figures.get(name)?.most.push(percentile(times, 0.99));
      }
    }
    const both = [...figures.values()];
    const cells = both.map(({ half, most }) => `${median(half).toFixed(1)}, ${median(most).toFixed(1)}`);
    const [base, own] = both.map(({ most }) => most);
    const ratios = (own ?? []).map((value, round) => value / (base?.[round] ?? NaN));
    const [middle, least, most] = [median(ratios), Math.min(...ratios), Math.max(...ratios)].map((one) =>
      one.toFixed(2),
    );
    print(`| ${row.title} | ${rate.toFixed(0)} | ${cells.join(' | ')} | **${middle}** (${least}..${most}) |`);
  }
  agent.destroy();
  if (failed > 0) print(`${failed} requests were not answered with success`);
  return failed > 0 ? 1 : 0;
}
