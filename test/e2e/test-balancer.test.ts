/**
 * The balancer for tests of several processes: which servers it polls, that it hides nothing, and what it passes on.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { expect } from 'chai';
import { WebSocket, WebSocketServer } from 'ws';
import { startBalancer, type Balancer } from '../support/balancer.js';
import { createClient } from '../support/client.js';

interface Stub {
  readonly server: Server;
  readonly port: number;
  ready: boolean;
}

describe('test balancer', () => {
  let front: Balancer;
  const stubs: Stub[] = [];
  /** Returns its number; `/cut` ends the connection instead of a response. */
  async function stub(number: number): Promise<Stub> {
    const server = createServer((req, res) => {
      if (req.url === '/status/ready') res.writeHead(made.ready ? 200 : 503).end();
      else if (req.url === '/cut') req.socket.destroy();
      else req.resume().on('end', () => res.end(JSON.stringify({ number, from: req.headers['x-forwarded-for'] })));
    });
    new WebSocketServer({ server }).on('connection', (socket) => socket.on('message', (text) => socket.send(text)));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const made: Stub = { server, port: (server.address() as AddressInfo).port, ready: true };
    stubs.push(made);
    return made;
  }
  beforeEach(async () => (front = await startBalancer()));
  afterEach(async () => {
    await front.close();
    for (const { server } of stubs.splice(0)) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('distributes among ready processes, and passes on the address of the client', async () => {
    const [a, b] = [await stub(1), await stub(2)];
    for (const { port } of [a, b]) front.add(port);
    await Promise.all([a, b].map(({ port }) => front.waitForState(port, 'up')));
    const client = createClient(front.url);
    const fetchText = async (): Promise<string> => (await client.post('/x', {})).text;
    const [first, second] = [await fetchText(), await fetchText()];
    expect([first, second].map((text) => JSON.parse(text) as unknown)).to.have.deep.members([
      { number: 1, from: '127.0.0.1' },
      { number: 2, from: '127.0.0.1' },
    ]);
    b.ready = false;
    await front.waitForState(b.port, 'down');
    for (let i = 0; i < 4; i++) expect(await fetchText()).to.contain('"number":1');
    a.ready = false;
    await front.waitForState(a.port, 'down');
    expect((await client.post('/x', {})).status).to.equal(503);
  });

  it('does not retry: an interrupted request is 502', async () => {
    const one = await stub(1);
    front.add(one.port);
    await front.waitForState(one.port, 'up');
    const { status, text } = await createClient(front.url).post('/cut', {});
    expect([status, text]).to.deep.equal([502, `${one.port}: ECONNRESET`]);
    expect(front.countServed(one.port)).to.equal(1);
  });

  it('forwards open connections, in both directions', async () => {
    const one = await stub(1);
    front.add(one.port);
    await front.waitForState(one.port, 'up');
    const socket = new WebSocket(front.url.replace('http', 'ws'));
    await once(socket, 'open');
    socket.send('hello');
    const [text] = (await once(socket, 'message')) as [Buffer];
    expect(String(text)).to.equal('hello');
    const over = once(socket, 'close');
    socket.close(1000);
    expect((await over)[0]).to.equal(1000);
  });
});
