/**
 * Clients that violate the protocol, flood, do not read or fall silent; and the end of the server. Others are not
 * affected.
 */
import { once } from 'node:events';
import { connect as dial } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { createHandshakeCheck } from '../../plugins/triggers/websocket/handshake.js';
import { createRateLimiter } from '../../plugins/triggers/websocket/connection.js';
import { invokePlan } from '../../kernel/runtime/invoke.js';
import { createTestInvocation } from '../support/invocation.js';
import { formatRequestHead } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { PLUGIN_FIXTURES, defineReturnResource } from '../support/project.js';
import { connectRaw, encodeClientFrame, type RawSocket } from '../support/raw-socket.js';
import { connect, type SocketClient } from '../support/sockets.js';
import { startStopwatch } from '../support/stopwatch.js';

const meet = (id: string, size: number, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'MEET', name: id, party: 'party', size, ...rest }],
});
const FILES = {
  'definitions/a.json': [
    defineReturnResource('echo', '$PAYLOAD'),
    defineReturnResource('big', 'x'.repeat(200_000)),
    ...['a', 'b', 'c', 'd', 'e', 'f'].map((id) => meet(id, 2)),
  ],
};
const MEETING = join(PLUGIN_FIXTURES, 'meeting');

describe('connections', function () {
  const kernels: TestKernel[] = [];
  const clients: SocketClient[] = [];
  const raws: RawSocket[] = [];
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    for (const { socket } of raws.splice(0)) socket.destroy();
    await Promise.all(kernels.splice(0).map((kernel) => kernel.close()));
  });
  const start = async (websocket: object = {}, http: object = {}): Promise<TestKernel> => {
    const config = { plugins: ['builtin:*', MEETING], http, websocket: { enabled: true, ...websocket } };
    const kernel = await startKernel({ files: FILES, config });
    kernels.push(kernel);
    return kernel;
  };
  const open = async ({ url }: TestKernel, query = ''): Promise<SocketClient> => {
    const client = await connect(url, { query });
    clients.push(client);
    return client;
  };
  const openRaw = async ({ url }: TestKernel): Promise<RawSocket> => {
    const raw = await connectRaw(url);
    raws.push(raw);
    return raw;
  };
  const events = async (): Promise<string[]> =>
    ((await import(pathToFileURL(join(MEETING, 'runtime.js')).href)) as { events: string[] }).events;
  /** State that only the server has. */
  const waitForConnections = async (kernel: TestKernel, connections: number): Promise<void> => {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const { body } = await kernel.request('GET', '/status');
      if (body['connections'] === connections) return;
      if (Date.now() > deadline) throw new Error(`there are ${String(body['connections'])} connections`);
    }
  };
  const isAlive = async (kernel: TestKernel): Promise<void> => {
    const client = await open(kernel);
    expect((await client.sendRequest('echo', { a: 1 })).data).to.deep.equal({ a: 1 });
    expect((await kernel.post('/echo', { a: 1 })).status).to.equal(200);
  };
  const message = (n: number, resource = 'echo'): string =>
    JSON.stringify({ resource, action: 'a', request_id: `r-${n}`, payload: { n } });

  it('that violate the protocol are closed with the code of the error', async () => {
    const kernel = await start();
    const broken: readonly (readonly [string, readonly Buffer[], number])[] = [
      ['a binary message', [encodeClientFrame('binary', 'x')], 1003],
      ['a message that is too large', [encodeClientFrame('text', 'x'.repeat(65_537))], 1009],
      [
        'a message of 100 MB, of which nothing was sent',
        [encodeClientFrame('text', '', { announced: 100_000_000 })],
        1009,
      ],
      [
        'too large in fragments',
        [encodeClientFrame('text', 'x'.repeat(60_000), { fin: false }), encodeClientFrame(0, 'x'.repeat(60_000))],
        1009,
      ],
      ['no UTF-8', [encodeClientFrame('text', Buffer.from('ff', 'hex'))], 1007],
      [
        'invalid UTF-8, in fragments',
        [
          encodeClientFrame('text', Buffer.from('c3', 'hex'), { fin: false }),
          encodeClientFrame(0, Buffer.from('28', 'hex')),
        ],
        1007,
      ],
      ['an unknown opcode', [encodeClientFrame(3, 'x')], 1002],
      ['no mask', [encodeClientFrame('text', '{}', { masked: false })], 1002],
      ['a ping that is too long', [encodeClientFrame('ping', 'x'.repeat(126))], 1002],
      ['a continuation without a start', [encodeClientFrame(0, 'x')], 1002],
      ['compression that was not negotiated', [Buffer.from('c18000000000', 'hex')], 1002],
      [
        'endless fragments',
        [
          encodeClientFrame('text', 'x', { fin: false }),
          ...Array.from({ length: 1100 }, () => encodeClientFrame(0, '', { fin: false })),
        ],
        1008,
      ],
    ];
    for (const [what, chunks, code] of broken) {
      const raw = await openRaw(kernel);
      raw.write(Buffer.concat(chunks));
      expect(await raw.closed, what).to.equal(code);
    }
    await isAlive(kernel);
    await waitForConnections(kernel, 1);
  });

  it('may send a message byte by byte, with pings in between', async () => {
    const raw = await openRaw(await start());
    const bytes = [...Buffer.from(message(1))];
    const parts = bytes.map((byte, at) =>
      encodeClientFrame(at === 0 ? 'text' : 0, Buffer.from([byte]), { fin: at === bytes.length - 1 }),
    );
    const sent = parts.flatMap((part, at) =>
      at % 10 === 5 ? [part, encodeClientFrame('ping', 'still here')] : [part],
    );
    for (const part of sent) for (const byte of part) raw.write(Buffer.from([byte]));
    const deadline = Date.now() + 5000;
    const texts = (): Buffer[] => raw.frames.filter(({ opcode }) => opcode === 1).map(({ payload }) => payload);
    while (texts().length === 0 && Date.now() < deadline) await once(raw.socket, 'data');
    expect(JSON.parse(texts()[0]?.toString() ?? 'null')).to.include({ request_id: 'r-1' });
    expect(raw.frames.filter(({ opcode }) => opcode === 10)).to.have.length(sent.length - parts.length);
  });

  it('that send too much are rejected message by message, and closed if they continue', async () => {
    const kernel = await start({ limits: { rate: 10 } });
    const client = await open(kernel);
    for (let n = 0; n < 30; n++) client.send(message(n));
    const answers = [];
    for (let n = 0; n < 30; n++) answers.push(await client.next(({ request_id }) => request_id === `r-${n}`));
    const rejected = answers.filter(({ error }) => error !== undefined);
    expect(rejected.length).to.be.within(10, 20);
    for (const { error } of rejected) expect(error).to.include({ code: 'WS_FLOOD', status: 429 });
    for (let n = 0; n < 200; n++) client.send(message(n));
    expect((await client.closed).code).to.equal(1008);
    await isAlive(kernel);
  });

  it('that flood with pings are closed', async () => {
    const kernel = await start();
    for (const sign of ['ping', 'pong'] as const) {
      const raw = await openRaw(kernel);
      raw.write(Buffer.concat(Array.from({ length: 10_000 }, () => encodeClientFrame(sign, 'x'.repeat(100)))));
      expect(await raw.closed, sign).to.equal(1008);
    }
    await isAlive(kernel);
  });

  it('that do not read are closed before much has accumulated', async () => {
    const kernel = await start({ limits: { buffered: 100_000 } });
    const raw = await openRaw(kernel);
    raw.socket.pause();
    const reader = await open(kernel);
    const data = 'x'.repeat(50_000);
    let sent = 0;
    // The machine's own buffers are full some time.
    while ((await kernel.request('GET', '/status')).body['connections'] === 2 && sent < 2000) {
      kernel.kernel.running.deliverMessage({ action: 'a', data, to: { all: true }, id: null });
      sent += 1;
      await reader.next();
    }
    expect(sent).to.be.within(3, 1000);
    await waitForConnections(kernel, 1);
    raw.socket.resume();
    expect([1013, null]).to.include(await raw.closed);
  });

  it('may get one response that is larger than the limit of waiting bytes', async () => {
    const client = await open(await start({ limits: { buffered: 1000 } }));
    for (let n = 0; n < 3; n++) expect(String((await client.sendRequest('big')).data)).to.have.length(200_000);
  });

  it('without pongs are closed after three pings, and no others', async () => {
    const kernel = await start({ ping: 0.1 });
    const [client, silent] = [await open(kernel), await openRaw(kernel)];
    const [, , code] = await Promise.all([waitForConnections(kernel, 2), waitForConnections(kernel, 1), silent.closed]);
    expect(code).to.equal(null);
    const pings = silent.frames.filter(({ opcode }) => opcode === 9);
    expect(pings).to.have.length(2);
    expect((await client.sendRequest('echo', {})).data).to.deep.equal({});
  });

  it('have a limited number of concurrent messages, also when many arrive in one packet', async () => {
    const seen = await events();
    seen.length = 0;
    const kernel = await start({ limits: { in_flight: 2, rate: 1000 } });
    const raw = await openRaw(kernel);
    raw.write(Buffer.concat(['a', 'b', 'c', 'd', 'e', 'f'].map((id, n) => encodeClientFrame('text', message(n, id)))));
    const deadline = Date.now() + 10_000;
    while (raw.frames.length < 6 && Date.now() < deadline) await once(raw.socket, 'data');
    expect(raw.frames).to.have.length(6);
    let under = 0;
    const most = seen.map((event) => (under += event.startsWith('+') ? 1 : -1));
    expect(Math.max(...most)).to.equal(2);
    expect(seen.filter((event) => event.startsWith('-')).sort()).to.deep.equal(['-a', '-b', '-c', '-d', '-e', '-f']);
  });

  it('that send only half of the handshake are closed like slow requests', async () => {
    const kernel = await start({}, { timeouts: { headers: 0.2 } });
    const socket = dial(Number(new URL(kernel.url).port), '127.0.0.1');
    socket.write(formatRequestHead('GET', '/ws', { connection: 'Upgrade', upgrade: 'websocket' }).slice(0, -2));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    await once(socket, 'close');
    expect(text).to.match(/^HTTP\/1\.1 408/);
  });

  it('that are reset during work leave nothing open', async () => {
    const kernel = await start();
    for (let n = 0; n < 20; n++) {
      const raw = await openRaw(kernel);
      raw.write(encodeClientFrame('text', message(n, 'big')));
      raw.socket.resetAndDestroy();
    }
    await waitForConnections(kernel, 0);
    expect(kernel.log.filter(({ level }) => level === 'error')).to.deep.equal([]);
  });

  describe('when the server stops', () => {
    it('get the responses to started requests, an error for later ones, and a close frame', async () => {
      const kernel = await start();
      const [client, other] = [await open(kernel), await open(kernel)];
      const seen = await events();
      seen.length = 0;
      const begun = client.sendRequest('a');
      while (!seen.includes('+a')) await other.sendRequest('echo');
      const stopped = kernel.server.stop(10);
      expect((await client.sendRequest('echo')).error).to.include({ code: 'WS_CLOSING', status: 503 });
      const second = kernel.kernel.plans().byId.get('b');
      if (second === undefined) throw new Error('there is no second one');
      await invokePlan(second, createTestInvocation(), kernel.kernel.hooks);
      expect((await begun).data).to.deep.equal({ a: true });
      expect(await Promise.all([client.closed, other.closed])).to.deep.equal(
        [1, 2].map(() => ({ code: 1001, reason: 'the server is closing' })),
      );
      expect(await stopped).to.include({ requests: true });
    });

    it('are closed also when work takes too long', async () => {
      const kernel = await start();
      const client = await open(kernel);
      const asked = client.sendRequest('a').catch((error: unknown) => error);
      const seen = await events();
      seen.length = 0;
      while (!seen.includes('+a')) await (await open(kernel)).sendRequest('echo');
      expect(await kernel.server.stop(0.1)).to.include({ requests: false });
      expect((await client.closed).code).to.equal(1001);
      expect(await asked).to.be.an('error');
      // The pending work: the kernel would wait for it at its end.
      const second = kernel.kernel.plans().byId.get('b');
      if (second === undefined) throw new Error('there is no second one');
      await invokePlan(second, createTestInvocation(), kernel.kernel.hooks);
    });

    it('are terminated when they do not close', async () => {
      const kernel = await start();
      const raw = await openRaw(kernel);
      raw.socket.pause();
      const elapsed = startStopwatch();
      expect(await kernel.server.stop(10)).to.include({ requests: true });
      expect(elapsed()).to.be.below(5000);
    });

    it('are rejected if they are new', () => {
      const validate = createHandshakeCheck({
        limits: { connections: 1, per_address: 1 },
        closing: () => true,
        count: () => 0,
        countConnections: () => 0,
      });
      const headers: Readonly<Record<string, string>> = {
        upgrade: 'websocket',
        'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
        'sec-websocket-version': '13',
      };
      expect(
        validate({ method: 'GET', remote: '', sender: 'own', header: (name) => [headers[name] ?? []].flat() }),
      ).to.include({
        code: 'WS_CLOSING',
      });
    });
  });

  it('have a rate per second, and a second later the same again', () => {
    const pace = createRateLimiter(2);
    const at = (now: number, times: number) => Array.from({ length: times }, () => pace(now));
    expect(at(1000, 4)).to.deep.equal(['fine', 'fine', 'over', 'over']);
    expect(at(1500, 2)).to.deep.equal(['fine', 'over']);
    expect(at(9000, 3)).to.deep.equal(['fine', 'fine', 'over']);
    expect(at(9000, 8)).to.deep.equal([...Array.from({ length: 7 }, () => 'over'), 'flood']);
  });
});
