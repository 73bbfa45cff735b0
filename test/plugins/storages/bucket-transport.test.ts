/**
 * Connections to an S3 server: their timeouts, unread responses, and idle connections. The servers run in this process.
 */
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createTransport, type Transport } from '../../../plugins/storages/minio/transport.js';
import { makeCertificate } from '../../../cli/test/certificate.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';
import { waitUntil } from '../../support/until.js';

describe('connections to an S3 server', () => {
  const cleanups: (() => unknown)[] = [];
  let time: ManualTime | null = null;
  afterEach(() => {
    time?.restoreGlobals();
    time = null;
    for (const clean of cleanups.splice(0).reverse()) clean();
  });

  async function listen(server: net.Server): Promise<number> {
    const sockets = new Set<net.Socket>();
    server.on('connection', (socket) => sockets.add(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    cleanups.push(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  const transport = (isTls = false, deadlines = { connect: 3000, idle: 10_000 }): Transport => {
    const made = createTransport(isTls, deadlines);
    cleanups.push(() => made.agent.destroy());
    return made;
  };

  function request({ transport: { request: send }, agent }: Transport, port: number, more: object = {}) {
    const made = (send as (options: object, respond: (answer: http.IncomingMessage) => void) => http.ClientRequest)(
      { host: '127.0.0.1', port, agent, ...more },
      (response) => made.emit('answered', response),
    );
    const failed = new Promise<{ message: string; code?: string }>((resolve) => made.once('error', resolve));
    const answered = once(made, 'answered').then(([response]) => response as http.IncomingMessage);
    answered.catch(() => undefined);
    made.end();
    return { made, failed, answered };
  }
  const status = (code: number): Promise<number> =>
    listen(http.createServer((_, reply) => void reply.writeHead(code).end('text')));

  it('have a connect timeout, which ends with it', async () => {
    time = replaceTime();
    const { failed } = request(transport(), 80, { host: 'store.example', lookup: () => undefined });
    let isOver = false;
    void failed.then(() => (isOver = true));
    await time.advance(2999);
    expect(isOver).to.equal(false);
    await time.advance(1);
    expect(await failed).to.include({ message: 'no connection in time', code: 'ETIMEDOUT' });
    const slow = await listen(http.createServer((_, reply) => void reply.writeHead(200).write('half of it')));
    const { made, answered } = request(transport(), slow);
    await answered;
    await time.advance(3000);
    expect(made.destroyed).to.equal(false);
  });

  it('have no connect timeout if they are already open', async () => {
    const port = await listen(
      http.createServer(({ url }, reply) => {
        reply.writeHead(200);
        if (url === '/slow') reply.write('half of it');
        else reply.end();
      }),
    );
    const made = transport();
    const { made: first, answered } = request(made, port);
    const [socket] = (await once(first, 'socket')) as [net.Socket];
    (await answered).resume();
    await waitUntil(() => Object.values(made.agent.freeSockets).flat().length === 1, 'the connection is at rest');
    time = replaceTime();
    const second = request(made, port, { path: '/slow' });
    const [same] = (await once(second.made, 'socket')) as [net.Socket];
    expect(same).to.equal(socket);
    await second.answered;
    await time.advance(3000);
    expect(second.made.destroyed).to.equal(false);
  });

  it('have a timeout for the TLS handshake', async () => {
    const port = await listen(net.createServer());
    time = replaceTime();
    const { made, failed } = request(transport(true), port, { servername: 'store.example' });
    const [socket] = (await once(made, 'socket')) as [net.Socket];
    await once(socket, 'connect');
    await time.advance(3000);
    expect(await failed).to.include({ message: 'no connection in time', code: 'ETIMEDOUT' });
  });

  it('over TLS have no connect timeout once open', async () => {
    const { cert, key } = makeCertificate(['store.example']);
    const port = await listen(https.createServer({ cert, key }, (_, reply) => void reply.writeHead(200).write('half')));
    time = replaceTime();
    const { made, answered } = request(transport(true), port, { servername: 'store.example', ca: cert });
    expect((await answered).statusCode).to.equal(200);
    await time.advance(3000);
    expect(made.destroyed).to.equal(false);
  });

  it('end when a request is aborted before there is one', async () => {
    time = replaceTime();
    const { made, failed } = request(transport(), 80, { host: 'store.example', lookup: () => undefined });
    await once(made, 'socket');
    // Other code of the process may have timers, too.
    const before = time.timers();
    made.destroy(new Error('given up'));
    expect((await failed).message).to.equal('given up');
    await time.advance(0);
    expect(time.timers()).to.equal(before - 1);
  });

  it('have a timeout for silence', async () => {
    const port = await listen(http.createServer(() => undefined));
    const { failed } = request(transport(false, { connect: 3000, idle: 20 }), port);
    expect(await failed).to.include({ message: 'no answer in time', code: 'ETIMEDOUT' });
  });

  for (const code of [408, 429, 499, 500, 502, 503, 504, 520])
    it(`are free again after a response ${code}, which the client does not read`, async () => {
      const made = transport();
      const { answered } = request(made, await status(code));
      await answered;
      await waitUntil(() => Object.values(made.agent.freeSockets).flat().length === 1, 'the connection is at rest');
    });

  it('keep a response that the client reads', async () => {
    for (const code of [200, 204, 400, 403, 404, 412, 501]) {
      const { answered } = request(transport(), await status(code));
      expect((await answered).readableFlowing, String(code)).to.equal(null);
    }
  });

  it('are kept open, 64 at most, and closed when idle if one was cut', async () => {
    const made = transport();
    expect(made.agent.maxSockets).to.equal(64);
    const port = await status(500);
    const { made: first, answered } = request(made, port);
    const [socket] = (await once(first, 'socket')) as [net.Socket];
    await answered;
    const atRest = (): number => Object.values(made.agent.freeSockets).flat().length;
    await waitUntil(() => atRest() === 1, 'the connection is at rest');
    const second = request(made, port);
    const [same] = (await once(second.made, 'socket')) as [net.Socket];
    expect(same).to.equal(socket);
    await second.answered;
    await waitUntil(() => atRest() === 1, 'the connection is at rest again');
    made.closeIdleSockets();
    expect(socket.destroyed).to.equal(true);
    await waitUntil(() => atRest() === 0, 'none is at rest');
    made.closeIdleSockets();
  });
});
