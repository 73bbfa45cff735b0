/**
 * A server with a small heap under everything at once that clients can make it hold: bodies and messages in pieces of one byte, large
 * results as values and as text, also one larger than the heap, readers that do not read. It survives, answers or refuses each, and its memory comes back.
 */
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import type { Child } from '../support/child.js';
import { collectHeap, HEAP_PROBE } from '../support/child-heap.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { formatRequestHead } from '../support/client.js';
import { defineQueryResource, defineReturnResource } from '../support/project.js';
import { connectRaw, encodeClientFrame } from '../support/raw-socket.js';
import { waitUntilReady, serveAsChild } from '../support/serve.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';
import { waitUntil } from '../support/until.js';

const HEAP_MIB = 96;
/** Six million bytes each. */
const LARGE = `SELECT n, repeat('x', 1000) AS t FROM generate_series(1, 6000) AS n`;
/** More than the heap. */
const HUGE = `SELECT n, repeat('x', 1000) AS t FROM (SELECT generate_series(1, 120000) AS n) AS s`;

const FILES = {
  'lintel.config.json': {
    connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL' } },
    http: { limits: { unread: 16_000_000 }, timeouts: { idle: 60 } },
    websocket: { enabled: true },
  },
  'definitions/a.json': [
    defineReturnResource('fine', { ok: true }),
    defineQueryResource('values', LARGE, [], { must_return_value: true }),
    defineQueryResource('text', LARGE),
    defineQueryResource('huge', HUGE),
  ],
};

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function measureHeldMiB(child: Child): Promise<number> {
  const { heap, external } = await collectHeap(child);
  return (heap + external) / 2 ** 20;
}

describe('a server with a small heap', () => {
  const { start } = serveAsChild();
  const sockets: Socket[] = [];
  before(async function () {
    if (process.platform !== 'linux') return skipTest(this, 'memory of a process is read from /proc');
    const server = await startPostgres();
    if ('skip' in server) skipTest(this, server.skip);
  });
  after(() => sockets.forEach((socket) => socket.destroy()));

  /** Sends a request and reads nothing. */
  const dumb = (url: string, ...chunks: readonly (string | Buffer)[]): Socket => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    for (const chunk of chunks) socket.write(chunk);
    return socket;
  };

  it('survives fragments, large results and clients that do not read, all concurrently, and releases the memory', async () => {
    const child = await start(FILES, {
      env: { DATABASE_URL: await createPostgresDatabase() },
      node: [`--max-old-space-size=${HEAP_MIB}`, ...HEAP_PROBE],
    });
    const client = await waitUntilReady(child);
    const { url } = client;
    const pid = child.process.pid ?? 0;
    for (let n = 0; n < 20; n++) expect((await client.post('/fine')).status).to.equal(200);
    const residentBefore = residentMiB(pid);
    const heldBefore = await measureHeldMiB(child);

    const json = { 'content-type': 'application/json' };
    let received = 0;
    const { body: huge } = await fetch(`${url}/huge`, { method: 'POST', headers: json, body: '{}' });
    for await (const chunk of huge ?? []) received += (chunk as Uint8Array).length;
    expect(received).to.be.greaterThan(120_000_000);
    expect(residentMiB(pid)).to.be.lessThan(residentBefore + 80);

    const piecewise = Buffer.from([...`{"a":"${'x'.repeat(60_000)}"}`].map((letter) => `1\r\n${letter}\r\n`).join(''));
    for (let n = 0; n < 8; n++)
      dumb(url, formatRequestHead('POST', '/fine', { ...json, 'transfer-encoding': 'chunked' }), piecewise);
    for (let n = 0; n < 8; n++) dumb(url, formatRequestHead('POST', '/text', { ...json, 'content-length': '2' }), '{}');
    const raw = await connectRaw(url);
    sockets.push(raw.socket);
    raw.write(
      Buffer.concat(
        Array.from({ length: 16_000 }, (_, n) => encodeClientFrame(n === 0 ? 'text' : 0, 'x', { fin: false })),
      ),
    );
    const asked = await Promise.all(
      Array.from({ length: 16 }, (_, n) => client.post(n % 2 === 0 ? '/values' : '/text').catch(() => null)),
    );

    // 0: cut off. All clients are of one network here, so one that reads slowly on a busy machine can be the one that holds most.
    const statuses = asked.map((answer) => answer?.status ?? 0);
    expect(statuses.filter((status) => ![0, 200, 503].includes(status))).to.deep.equal([]);
    expect(statuses.filter((status) => status === 200).length).to.be.at.least(1);
    expect(await raw.closed).to.not.equal(null);
    expect(residentMiB(pid)).to.be.lessThan(residentBefore + 250);
    for (const socket of sockets.splice(0)) socket.destroy();
    expect((await client.post<unknown[]>('/values')).body).to.have.length(6000);
    expect((await client.post('/fine')).status).to.equal(200);
    // What the process holds, and not what is resident: an idle process collects nothing and keeps pages that are free.
    const elapsed = startStopwatch();
    await waitUntil(async () => (await measureHeldMiB(child)) < heldBefore + 8, 'the memory to come back');
    // Connections of the database that are idle close much later.
    expect(elapsed()).to.be.lessThan(10_000);
  });
});
