/** Plugin routes next to resources: their verbs, bodies and headers, and clients that disconnect. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Fault } from '../../contract/fault.js';
import { createFault } from '../../contract/fault.js';
import type { Route, RouteReply, RouteRequest } from '../../contract/route.js';
import { readBytes } from '../../kernel/http/body.js';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const ORIGIN = 'https://app.example.com';
const reply = (more: Partial<RouteReply> = {}): RouteReply => ({ status: 200, headers: {}, body: 'fine', ...more });

describe('plugin pages next to resources', () => {
  const asked: RouteRequest[] = [];
  let ended = 0;
  let over: () => void = () => undefined;
  /** Yields one chunk after another until the reader stops. */
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        await new Promise(setImmediate);
        yield Buffer.alloc(16_384, 'x');
      }
    } finally {
      ended++;
      over();
    }
  }
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('half');
    await new Promise(setImmediate);
    throw new Error('the disk is gone');
  }
  const page = (path: string, handle: Route['handle'], methods = ['GET']): Route => ({ path, methods, handle });
  const pages: readonly Route[] = [
    page('/fine', () => reply({ headers: { vary: 'accept-encoding', 'x-content-type-options': 'none' } })),
    page('/files/', (request) => {
      asked.push(request);
      return reply({ body: Buffer.from(request.rest) });
    }),
    page('/empty', () => reply({ status: 204, body: null })),
    page('/same', () => reply({ status: 304, headers: { etag: '"1"' }, body: null })),
    page('/refused', () => {
      throw createFault('REQ_BROKEN');
    }),
    page('/fails', () => Promise.reject(new Error('canary of the page'))),
    page('/endless', () => reply({ body: endless() })),
    page('/broken', () => reply({ body: broken() })),
    page('/posted', ({ method }) => reply({ body: method }), ['POST', 'GET']),
  ];
  let kernel: TestKernel;
  before(async () => {
    const files = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
    kernel = await startKernel({ files, pages, config: { http: { allowed_origins: [ORIGIN] } } });
  });
  after(() => kernel.close());
  const get = (path: string, init?: RequestInit) => kernel.request<string>('GET', path, init);

  it('have their own verbs only', async () => {
    expect((await kernel.post('/posted', {})).text).to.equal('POST');
    expect((await kernel.request('HEAD', '/posted')).status).to.equal(200);
    const { status, headers, body } = await kernel.post('/fine', {});
    expect([status, body['code'], headers.get('allow')]).to.deep.equal([405, 'REQ_METHOD', 'GET, HEAD']);
  });

  it('can override headers, and `vary` contains the origin too', async () => {
    const { headers } = await get('/fine', { headers: { origin: ORIGIN } });
    expect(headers.get('vary')).to.equal('accept-encoding, origin');
    expect(headers.get('x-content-type-options')).to.equal('none');
    expect(headers.get('access-control-allow-origin')).to.equal(ORIGIN);
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
  });

  it('get the rest of a path decoded once; a path that cannot be decoded is not found', async () => {
    expect((await get('/files/a%20b%2f..%2fc?q=1&r=%20')).text).to.equal('a b/../c');
    expect(asked.at(-1)).to.include({ method: 'GET', rest: 'a b/../c', query: 'q=1&r=%20' });
    expect((await get('/files/%2525')).text).to.equal('%25');
    expect((await get('/files/%zz')).status).to.equal(404);
    expect((await get('/files')).status).to.equal(404);
    expect((await get('/fine/more')).status).to.equal(404);
  });

  it('have no Content-Length for a response without a body', async () => {
    for (const [path, status] of [
      ['/empty', 204],
      ['/same', 304],
    ] as const) {
      const answer = parseRaw(await kernel.raw(formatRequestHead('GET', path, { connection: 'close' })));
      expect(answer.status).to.equal(status);
      expect(answer.head).not.to.contain('content-length').and.not.contain('transfer-encoding');
      expect(answer.body).to.equal('');
    }
  });

  it('return problems for failures, whose messages are only logged', async () => {
    const rejected = await kernel.request('GET', '/refused');
    expect([rejected.status, rejected.body['code']]).to.deep.equal([503, 'REQ_BROKEN']);
    const failed = await kernel.request('GET', '/fails');
    expect([failed.status, failed.body['code']]).to.deep.equal([500, 'INT_UNEXPECTED']);
    expect(failed.text).not.to.contain('canary');
  });

  it('close the connection if a body fails before its end, so that it is not read as complete', async () => {
    const answer = await kernel.raw(formatRequestHead('GET', '/broken'));
    expect(answer).to.contain('half').and.not.contain('\r\n0\r\n\r\n');
    const failure = await get('/broken').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(Error);
  });

  it('end the work without a failure if a client has read enough', async () => {
    const before = kernel.log.length;
    const end = new Promise<void>((resolve) => (over = resolve));
    const controller = new AbortController();
    const response = await fetch(`${kernel.url}/endless`, { signal: controller.signal });
    await response.body?.getReader().read();
    controller.abort();
    await end;
    expect(ended).to.equal(1);
    expect((await get('/fine')).status).to.equal(200);
    expect(kernel.log.slice(before).filter(({ level }) => level === 'error')).to.deep.equal([]);
  });
});

describe('client that disconnects while its guard is running', () => {
  it('has no body to read any more: the request ends instead of waiting indefinitely', async () => {
    let outcome: Promise<unknown> = Promise.resolve();
    const server = createServer((req, res) => {
      outcome = once(res, 'close').then(() => readBytes(req, 1000).catch((error: unknown) => error));
      server.emit('came');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const came = once(server, 'came');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(formatRequestHead('POST', '/', { 'content-length': 100 }) + 'half');
    await came;
    socket.destroy();
    expect(((await outcome) as Fault).code).to.equal('REQ_ABORTED');
    server.close();
  });
});
