/**
 * A server with a small heap under all kinds of load at once: bodies and messages in chunks of one byte, large results
 * as values and as text, also one larger than the heap, clients that do not read, silent sockets, slow statements,
 * invalid sign-ins. It survives, serves or rejects each, and its memory is released.
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
  'definitions/_user.json': { id: { type: 'String', primary_key: true }, password: { type: 'String' } },
  'definitions/a.json': [
    defineReturnResource('fine', { ok: true }),
    defineQueryResource('values', LARGE, [], { must_return_value: true }),
    defineQueryResource('text', LARGE),
    defineQueryResource('huge', HUGE),
    defineQueryResource('slow', 'SELECT pg_sleep(0.3)'),
    defineQueryResource('enter', 'SELECT id, password FROM users WHERE id = $1', ['$PAYLOAD.id'], {
      payload_validation: [{ field: { id: { type: 'STRING' }, password: { type: 'STRING' } } }],
      verify_hashables: [{ property: 'password', algorithm: 'ARGON2' }],
      returnables: ['id'],
    }),
    defineQueryResource('join', 'INSERT INTO users (id, password) VALUES ($1, $2)', ['id', 'password'], {
      payload_validation: [{ field: { id: { type: 'STRING' }, password: { type: 'STRING' } } }],
      hashables: [{ property: 'password', algorithm: 'ARGON2', options: { memory_cost: 1024, time_cost: 1 } }],
    }),
  ],
};

const residentMiB = (pid: number): number =>
  Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;

async function measureHeldMiB(child: Child): Promise<number> {
  const { heap, external } = await collectHeap(child);
  return (heap + external) / 2 ** 20;
}

describe('server with a small heap', () => {
  const { start } = serveAsChild();
  const sockets: Socket[] = [];
  after(() => sockets.forEach((socket) => socket.destroy()));

  /** Sends a request and reads nothing. */
  const dumb = (url: string, ...chunks: readonly (string | Buffer)[]): Socket => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    for (const chunk of chunks) socket.write(chunk);
    return socket;
  };

  it('survives fragments, large results, clients that do not read and invalid sign-ins, all concurrently, and releases the memory', async function () {
    if (process.platform !== 'linux') return skipTest(this, 'memory of a process is read from /proc');
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    const child = await start(FILES, {
      env: { DATABASE_URL: await createPostgresDatabase() },
      node: [`--max-old-space-size=${HEAP_MIB}`, ...HEAP_PROBE],
    });
    const client = await waitUntilReady(child);
    const { url } = client;
    const pid = child.process.pid ?? 0;
    for (let n = 0; n < 20; n++) expect((await client.post('/fine')).status).to.equal(200);
    const good = { id: 'ada', password: 'correct horse battery' };
    expect((await client.post('/join', good)).status).to.equal(200);
    expect((await client.post('/enter', good)).status).to.equal(200);
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
    for (let n = 0; n < 40; n++) dumb(url);
    const others = Promise.all([
      ...Array.from({ length: 20 }, (_, n) => client.post('/enter', { id: `no one ${n}`, password: 'wrong' })),
      ...Array.from({ length: 20 }, () => client.post('/slow')),
    ]);
    const asked = await Promise.all(
      Array.from({ length: 16 }, (_, n) => client.post(n % 2 === 0 ? '/values' : '/text').catch(() => null)),
    );

    // 0: cut off. All clients are of one network and one process here, so a busy machine can cut off each that reads slowly.
    const statuses = asked.map((answer) => answer?.status ?? 0);
    expect(statuses.filter((status) => ![0, 200, 503].includes(status))).to.deep.equal([]);
    // Those that read nothing are still connected; a client that reads and repeats its request is served.
    await waitUntil(async () => {
      const answer = await client.post('/text').catch(() => null);
      return answer?.status === 200;
    }, 'a large result for a client that reads');
    const statusesOfOthers = (await others).map(({ status }) => status);
    expect(statusesOfOthers.filter((status) => ![200, 401, 503].includes(status))).to.deep.equal([]);
    expect(statusesOfOthers).to.include(200).and.to.include(401);
    expect(await raw.closed).to.not.equal(null);
    expect(residentMiB(pid)).to.be.lessThan(residentBefore + 250);
    for (const socket of sockets.splice(0)) socket.destroy();
    expect((await client.post<unknown[]>('/values')).body).to.have.length(6000);
    expect((await client.post('/fine')).status).to.equal(200);
    expect((await client.post('/enter', good)).status).to.equal(200);
    // The memory in use, not the resident memory: an idle process collects nothing and keeps free pages.
    const elapsed = startStopwatch();
    await waitUntil(async () => (await measureHeldMiB(child)) < heldBefore + 8, 'the memory to come back');
    // Connections of the database that are idle close much later.
    expect(elapsed()).to.be.lessThan(10_000);
  });

  it('rejects results of the embedded database that are larger than the heap, several at once', async () => {
    const child = await start(
      { ...FILES, 'lintel.config.json': { connections: { main: { use: 'pglite', path: 'memory://' } } } },
      { node: [`--max-old-space-size=${HEAP_MIB}`, ...HEAP_PROBE] },
    );
    const client = await waitUntilReady(child);
    const answers = await Promise.all(Array.from({ length: 4 }, () => client.post('/huge')));
    expect(answers.map(({ status, body }) => [status, body['code']])).to.deep.equal(
      answers.map(() => [503, 'QRY_CROWDED']),
    );
    expect(child.output()).to.match(/"code":"QRY_CROWDED","action":"huge#1","resource":"huge"/);
    expect((await client.post<unknown[]>('/values')).body).to.have.length(6000);
  });
});
