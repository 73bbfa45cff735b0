/**
 * Measures every server for every row in interleaved rounds, in an order that changes, so that other load on the machine
 * affects all servers alike.
 */
import type { LoadRunner, Load } from './load.js';
import { readTreeCpuMicros } from './proc.js';
import type { Row } from './rows.js';
import type { Server } from './server.js';
import type { Ledger } from './tables.js';

export interface Sample extends Load {
  readonly round: number;
  readonly row: string;
  readonly server: string;
  readonly requestsPerSecond: number;
  readonly cpuMicrosPerRequest: number;
}

export interface MeasureOptions {
  readonly servers: readonly Server[];
  readonly rows: readonly Row[];
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly fire: LoadRunner;
  readonly ledger: Ledger;
  readonly print: (line: string) => void;
}

export async function measureRows(m: MeasureOptions): Promise<Sample[]> {
  const samples: Sample[] = [];
  // Round 0 is the warm-up, which compiles code and fills pools; its samples are discarded.
  for (let round = 0; round <= m.rounds; round++) {
    const seconds = round === 0 ? Math.min(m.seconds, 1) : m.seconds;
    for (const row of rotateItems(m.rows, round)) {
      for (const server of rotateItems(m.servers, round)) {
        const sample = await visit(m, round, row, server, seconds);
        m.print(formatSample(sample));
        if (round > 0) samples.push(sample);
      }
    }
  }
  return samples;
}

/**
 * The order of a round: rotated by one each round, and reversed after each full rotation, so that the predecessor of each
 * item changes.
 */
export function rotateItems<T>(items: readonly T[], round: number): T[] {
  const start = items.length === 0 ? 0 : round % items.length;
  const turned = [...items.slice(start), ...items.slice(0, start)];
  return Math.floor(round / Math.max(items.length, 1)) % 2 === 0 ? turned : turned.reverse();
}

async function visit(m: MeasureOptions, round: number, row: Row, server: Server, seconds: number): Promise<Sample> {
  await m.ledger.reset(server);
  const before = readTreeCpuMicros(server.pid);
  const load = await m.fire({ url: server.url, row, connections: m.connections, seconds });
  const cpuMicros = readTreeCpuMicros(server.pid) - before;
  if (row.adds !== null) await waitUntilQuiet(m.ledger, server);
  await checkTraces(m, row, server, load.requests);
  return {
    ...load,
    round,
    row: row.name,
    server: server.name,
    requestsPerSecond: load.requests / load.seconds,
    cpuMicrosPerRequest: cpuMicros / Math.max(load.requests, 1),
  };
}

/** Waits until no more rows are added, because late ones would be part of the next measurement. */
async function waitUntilQuiet(ledger: Ledger, server: Server): Promise<void> {
  let last = '';
  for (let same = 0, tries = 0; same < 3 && tries < 100; tries++) {
    const left = JSON.stringify(await ledger.countTraces(server));
    same = left === last ? same + 1 : 0;
    last = left;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Each request of such a row adds one. Requests without a response at the end may have added one too. */
async function checkTraces(m: MeasureOptions, row: Row, server: Server, requests: number): Promise<void> {
  const left = await m.ledger.countTraces(server);
  for (const what of ['accounts', 'contacts', 'money'] as const) {
    const [least, most] = row.adds === what ? [requests, requests + m.connections] : [0, 0];
    if (!(left[what] >= least && left[what] <= most)) {
      throw new Error(`${row.name} on ${server.name}: ${requests} requests left ${left[what]} in ${what}`);
    }
  }
}

function formatSample(s: Sample): string {
  const round = s.round === 0 ? 'warm-up' : `round ${s.round}`;
  const figures = `${s.requestsPerSecond.toFixed(0)} requests/s, ${s.cpuMicrosPerRequest.toFixed(1)} µs CPU each`;
  const errors = s.errors === 0 ? '' : `, ${s.errors} ERRORS`;
  return `${round}  ${s.row}  ${s.server}: ${figures}, generator ${(s.generatorShare * 100).toFixed(0)} %${errors}`;
}
