/**
 * Requests that are answered with 202, in Lintel and in the hand-written service, each on a new store. A job is due in an
 * hour, so only accepting is measured. Afterwards the store must contain one job per request.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LoadRunner } from '../load.js';
import { readTreeCpuMicros } from '../proc.js';
import type { Row } from '../rows.js';
import { startServer, type Server } from '../server.js';
import { jobBaseline, createLintelTarget } from '../targets.js';
import { createTemporaryFolder } from '../cleanup.js';
import type { Phase } from './child.js';
import { openSide, type SideName } from './sides.js';
import type { QueueLocation, Store } from './stores.js';

const DEFINITIONS = [
  {
    id: 'job',
    resource: 'job',
    queue: { delay: 3600 },
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        payload_validation: [{ field: { id: { type: 'NUMBER' } } }],
        value: { id: '$PAYLOAD.id' },
      },
    ],
  },
  { id: 'health', resource: 'health', actionables: [{ id: 1, mode: 'RETURN', value: { status: 'ok', version: 1 } }] },
];

const row: Row = {
  name: 'job',
  title: 'job accepted',
  path: '/job',
  body: (n) => ({ id: n }),
  adds: null,
  varying: {},
  refused: [],
};

async function serve(side: SideName, place: QueueLocation, core: number | undefined): Promise<Server> {
  if (side === 'agenda') return startServer(jobBaseline, { BENCH_STORE: JSON.stringify(place.address) }, core);
  const home = await createTemporaryFolder();
  await mkdir(join(home, 'definitions'));
  await writeFile(join(home, 'definitions/all.json'), JSON.stringify(DEFINITIONS));
  await writeFile(join(home, 'lintel.config.json'), JSON.stringify(place.config));
  return startServer(createLintelTarget('lintel', join(home, 'lintel.config.json')), {}, core);
}

async function verifyAnswer({ url, name }: Server, body: object, wanted: number): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/job`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (response.status !== wanted) throw new Error(`${name} answered ${response.status}, not ${wanted}: ${text}`);
  const { accepted, id } = JSON.parse(text) as { accepted?: unknown; id?: unknown };
  if (wanted === 202 && (accepted !== true || typeof id !== 'string')) throw new Error(`${name} answered ${text}`);
}

export interface AcceptingOptions {
  readonly store: Store;
  readonly side: SideName;
  readonly core: number | undefined;
  readonly seconds: number;
  readonly fire: LoadRunner;
}

/** A text is the reason for a missing figure. Throws if the store has fewer jobs than accepted requests, or too many. */
export async function measureAccepting({
  store,
  side,
  core,
  seconds,
  fire,
}: AcceptingOptions): Promise<Phase | string> {
  const place = await store.createPlace();
  const server = await serve(side, place, core);
  await verifyAnswer(server, { id: 1 }, 202);
  await verifyAnswer(server, { id: 'one' }, 422);
  const fireLoad = (length: number) => fire({ url: server.url, row, connections: store.atOnce, seconds: length });
  // Until the engine has compiled the code, a response takes several times as long.
  const warm = await fireLoad(3);
  const before = readTreeCpuMicros(server.pid);
  const load = await fireLoad(seconds);
  const used = readTreeCpuMicros(server.pid) - before;
  await server.stop();
  const errors = warm.errors + load.errors;
  // A request that timed out may have stored its job or not.
  if (errors > 0)
    return `${errors} requests were not answered with success; it printed: ${server.getOutput().slice(-400)}`;
  await verifyStoredJobs(place, side, 1 + warm.requests + load.requests, 2 * store.atOnce);
  return { jobsPerSecond: load.requests / load.seconds, cpuMicrosPerJob: used / Math.max(1, load.requests) };
}

/** Requests that were not answered at the end of a load may have stored a job. */
async function verifyStoredJobs(
  { address }: QueueLocation,
  side: SideName,
  least: number,
  underWay: number,
): Promise<void> {
  const opened = await openSide(side, address);
  try {
    const stored = await opened.countStored();
    if (stored < least || stored > least + underWay)
      throw new Error(`${side} on ${address.plugin}: ${least} requests were accepted and left ${stored} jobs`);
  } finally {
    await opened.close();
  }
}
