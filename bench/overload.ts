/**
 * `--overload`: requests at half, all and twice the capacity of a server, sent at their times: durations, rejections and their durations. The work is a statement of known length, so that connections are scarce. Goal: at twice the capacity p99 is at most three times that at half of it.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { startDatabase } from './database.js';
import { findPinnableCores } from './proc.js';
import { startServer } from './server.js';
import { createLintelTarget } from './targets.js';

/** Duration of the statement. */
const SECONDS = 0.05;
const POOL = 10;
const PARTS = [0.5, 1, 2] as const;
/** Seconds of load before each measurement. */
const WARM_UP = 2;
/** The goal. */
const MOST = 3;

const CONFIG = {
  definitions: ['definitions'],
  connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL', pool_size: POOL } },
};
const DEFINITIONS = [
  { id: 'health', resource: 'health', actionables: [{ id: 1, mode: 'RETURN', value: { status: 'ok', version: 1 } }] },
  {
    id: 'work',
    resource: 'work',
    actionables: [
      { id: 1, mode: 'QUERY', sql_query: { query: `SELECT 1 AS a FROM pg_sleep(${SECONDS})`, parameters: [] } },
    ],
  },
];

export interface TimedAnswer {
  readonly status: number;
  readonly milliseconds: number;
}

async function createInstallation(folder: string): Promise<string> {
  const home = join(folder, 'overload');
  await mkdir(join(home, 'definitions'), { recursive: true });
  await writeFile(join(home, 'definitions/all.json'), JSON.stringify(DEFINITIONS));
  await writeFile(join(home, 'lintel.config.json'), JSON.stringify(CONFIG));
  return join(home, 'lintel.config.json');
}

export interface TimedRequest {
  readonly url: string;
  readonly agent: Agent;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
}

export function sendTimed({ url, agent, method = 'POST', headers, body }: TimedRequest): Promise<TimedAnswer> {
  const began = performance.now();
  return new Promise((resolve) => {
    const described =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method, agent, headers: { ...described, ...headers } });
    sent.once('error', () => resolve({ status: 0, milliseconds: performance.now() - began }));
    sent.once('response', (answer) => {
      answer.resume();
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, milliseconds: performance.now() - began }));
    });
    sent.end(body);
  });
}

/**
 * Returns requests per second of `clients` clients, each of which sends its next request after the response to the last
 * one.
 */
export async function measureCapacity(
  send: () => Promise<TimedAnswer>,
  clients: number,
  seconds: number,
): Promise<number> {
  const end = performance.now() + seconds * 1000;
  let done = 0;
  const runClient = async (): Promise<void> => {
    while (performance.now() < end) if ((await send()).status === 200) done++;
  };
  await Promise.all(Array.from({ length: clients }, runClient));
  return done / seconds;
}

export async function runLoad(send: () => Promise<TimedAnswer>, rate: number, seconds: number): Promise<TimedAnswer[]> {
  const shots: Promise<TimedAnswer>[] = [];
  const began = performance.now();
  const total = Math.round(rate * seconds);
  while (shots.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate));
    while (shots.length < due) shots.push(send());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return Promise.all(shots);
}

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;

export const listTimes = (shots: readonly TimedAnswer[], wanted: (status: number) => boolean): number[] =>
  shots
    .filter(({ status }) => wanted(status))
    .map(({ milliseconds }) => milliseconds)
    .sort((a, b) => a - b);

export async function measureOverload(folder: string, seconds: number, print: (line: string) => void): Promise<number> {
  const cores = findPinnableCores();
  const database = await startDatabase(cores?.rest, false);
  print(database.description);
  const target = createLintelTarget('lintel', await createInstallation(folder));
  const server = await startServer(target, { DATABASE_URL: database.url }, cores?.server);
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity });
  const send = (): Promise<TimedAnswer> => sendTimed({ url: `${server.url}/work`, agent, body: '{}' });
  await measureCapacity(send, POOL, 1);
  const capacity = await measureCapacity(send, POOL, WARM_UP);
  print(`a statement of ${SECONDS * 1000} ms on ${POOL} connections: ${capacity.toFixed(0)} requests a second\n`);
  print('| load | answered | p50 | p99 | refused | p99 of refusals |');
  print('| ---- | -------: | --: | --: | ------: | --------------: |');
  const slowest: number[] = [];
  let failed = 0;
  for (const part of PARTS) {
    await runLoad(send, capacity * part, WARM_UP);
    const shots = await runLoad(send, capacity * part, seconds);
    const done = listTimes(shots, (status) => status === 200);
    const refused = listTimes(shots, (status) => status === 503);
    failed += shots.length - done.length - refused.length;
    slowest.push(percentile(done, 0.99));
    const figures = [percentile(done, 0.5), percentile(done, 0.99)].map((one) => `${one.toFixed(0)} ms`);
    const share = `${((100 * refused.length) / shots.length).toFixed(0)} %`;
    print(
      `| ${part} x | ${done.length} | ${figures.join(' | ')} | ${share} | ${percentile(refused, 0.99).toFixed(0)} ms |`,
    );
  }
  agent.destroy();
  await server.stop();
  const ratio = (slowest.at(-1) ?? 0) / (slowest[0] ?? 1);
  print(`\np99 at twice the capacity: ${ratio.toFixed(1)} times that at half of it (goal: ${MOST})`);
  if (failed > 0) print(`${failed} requests were neither answered nor refused`);
  return failed > 0 || ratio > MOST ? 1 : 0;
}
