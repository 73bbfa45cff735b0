/** Response headers, CORS, closing of connections, response bodies of plugin routes, and the status page. */
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import { createCommonHeaders, mergeHeaders } from '../../../contract/common-headers.js';
import { RawJson } from '../../../contract/raw-json.js';
import { HeadWriter, type HeadTarget, type HeadValues } from '../../../contract/response-head.js';
import type { RouteReply } from '../../../contract/route.js';
import { UnreadBudget } from '../../../contract/unread-budget.js';
import { clock } from '../../../language/project/clock.js';
import { buildHeaders, sendResponse, type ResponseDefaults } from '../../../kernel/http/response.js';
import { createCors } from '../../../kernel/http/cors.js';
import { sendRoute } from '../../../kernel/http/plugin-routes.js';
import { getStatus } from '../../../kernel/http/status.js';
import type { Kernel } from '../../../kernel/runtime/kernel.js';

type Headers = Readonly<Record<string, string>>;
const request = (headers: Headers = {}, rest: object = {}) =>
  ({ method: 'POST', headers, complete: true, socket: {}, ...rest }) as unknown as IncomingMessage;
const manner = (rest: Partial<ResponseDefaults> = {}): ResponseDefaults => ({
  unread: new UnreadBudget(1000, clock),
  proxies: 0,
  ...{
    cors: null,
    headers: { 'x-common': '1' },
    heads: new HeadWriter(['x-common', '1']),
    closing: () => false,
    patience: 7000,
  },
  ...rest,
});

describe('response headers', () => {
  it('override the default headers with those of the config, where an empty text removes one', () => {
    const all = createCommonHeaders({});
    expect(all).to.deep.equal({
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
    });
    const { 'referrer-policy': gone, ...rest } = all;
    expect(gone).to.equal('no-referrer');
    const own = createCommonHeaders({ 'Referrer-Policy': '', 'X-Own': 'a', 'X-Content-Type-Options': 'other' });
    expect(own).to.deep.equal({ ...rest, 'x-content-type-options': 'other', 'x-own': 'a' });
  });

  const isClosed = (req: IncomingMessage, rest: Partial<ResponseDefaults> = {}): boolean =>
    buildHeaders(manner(rest), req, 'id')['connection'] === 'close';

  it('close the connection when the server stops or a long body was not read', () => {
    expect(buildHeaders(manner(), request(), 'id')).to.deep.equal({ 'x-request-id': 'id', 'x-common': '1' });
    expect(isClosed(request(), { closing: () => true })).to.equal(true);
    const unread = (headers: Headers) => isClosed(request(headers, { complete: false }));
    expect([unread({}), unread({ 'content-length': '65536' }), unread({ 'content-length': '65537' })]).to.deep.equal([
      ...[false, false, true],
    ]);
    expect(unread({ 'transfer-encoding': 'chunked' })).to.equal(true);
    expect(isClosed(request({ 'transfer-encoding': 'chunked' }))).to.equal(false);
    expect(isClosed(request({ 'content-length': '65537' }))).to.equal(false);
  });

  it('merge the names in Vary from both sides', () => {
    expect(mergeHeaders({ a: '1', vary: 'origin' }, { b: '2' })).to.deep.equal({ a: '1', b: '2', vary: 'origin' });
    expect(mergeHeaders({ a: '1' }, { a: '2', vary: 'accept' })).to.deep.equal({ a: '2', vary: 'accept' });
    expect(mergeHeaders({ vary: 'origin' }, { vary: 'accept' })).to.deep.equal({ vary: 'accept, origin' });
  });
});

describe('response body', () => {
  type Given = Readonly<{ waiting?: number; headers?: Headers; cors?: ResponseDefaults['cors'] }>;
  function send(seen: unknown[], body: unknown, { waiting = 0, headers = {}, cors = null }: Given = {}): void {
    const res: ServerResponse = {
      writeHead: (status: number, all: readonly string[]) => seen.push(status, all),
      write: (...content: unknown[]) => seen.push(...content),
      end: () => seen.push('end'),
      setTimeout: (ms: number) => seen.push(ms),
      once: () => res,
      socket: { writableLength: waiting, uncork: () => seen.push('sent') },
    } as unknown as ServerResponse;
    sendResponse(manner({ cors }), { id: 'id', req: request(), res }, { status: 201, headers, body }, 'text/x');
  }
  async function writeBody(body: unknown, given?: Given) {
    const seen: unknown[] = [];
    send(seen, body, given);
    await nextTurn();
    return seen;
  }
  const common = (length: string, own = '1') => [
    ...['content-type', 'text/x', 'content-length', length],
    ...['x-request-id', 'id', 'x-common', own],
  ];
  const SENT = ['sent', 'end'];

  it('is JSON, or text that is already JSON, with its length in bytes, and leaves with the head', async () => {
    expect(await writeBody({ a: 'ä' })).to.deep.equal([201, common('10'), '{"a":"ä"}', 'utf8', ...SENT]);
    expect(await writeBody(undefined)).to.deep.equal([201, common('4'), 'null', 'latin1', ...SENT]);
    const raw = (json: Buffer) => writeBody(new RawJson(json, () => null));
    const latin = '{"\u00c3\u00a4":1}';
    expect(await raw(Buffer.from('{"ä":1}'))).to.deep.equal([201, common('8'), latin, 'latin1', ...SENT]);
    const long = Buffer.alloc(16_385, '1');
    expect(await raw(long)).to.deep.equal([201, common('16385'), long, ...SENT]);
  });

  it('has each header once: its own in place of a common one, and both values of Vary', async () => {
    const own = { 'x-common': '2', 'x-own': '3' };
    expect((await writeBody(1, { headers: own }))[1]).to.deep.equal([...common('1', '2'), 'x-own', '3']);
    const cors = createCors(['https://a.example'], ['POST']);
    const varies = async (headers: Headers) => (await writeBody(1, { headers, cors }))[1];
    expect(await varies({ vary: 'accept' })).to.deep.equal([...common('1'), 'vary', 'accept, origin']);
    expect(await varies({ vary: 'origin' })).to.deep.equal([...common('1'), 'vary', 'origin']);
  });

  it('is written at the end of its turn, or with 63 others', async () => {
    const seen: unknown[] = [];
    const countWritten = (): number => seen.filter((one) => one === 'sent').length;
    for (let i = 0; i < 63; i++) send(seen, i);
    expect(countWritten()).to.equal(0);
    send(seen, 63);
    expect(countWritten()).to.equal(64);
    send(seen, 64);
    await nextTurn();
    expect(countWritten()).to.equal(65);
    expect(seen.filter((_, i) => seen[i + 1] === 'latin1')).to.deep.equal(Array.from({ length: 65 }, (_, i) => `${i}`));
  });

  it('stops when its reader pauses, only where something is left to read', async () => {
    expect(await writeBody(1, { waiting: 1 })).to.deep.equal([201, common('1'), '1', 'latin1', ...SENT, 7000]);
    expect(await writeBody(1)).to.have.lengthOf(6);
  });
});

describe('head of a response', () => {
  let [written, now] = [0, 5000];
  class CountedResponse extends ServerResponse {
    override writeHead(status: number, ...rest: unknown[]): this {
      written++;
      return super.writeHead(status, rest[0] as string[]);
    }
  }

  function writeHead(heads: HeadWriter, values: Partial<HeadValues>, added: readonly Headers[], keepsAlive = true) {
    const res = new CountedResponse(Object.assign(new IncomingMessage(new Socket()), { httpVersionMajor: 1 }));
    Object.assign(res, { shouldKeepAlive: keepsAlive, sendDate: false });
    heads.write(res, { status: 200, type: 'text/x', length: 2, id: 'a', ...values }, ...added);
    expect([res.statusCode, res.headersSent]).to.deep.equal([values.status ?? 200, true]);
    return { head: (res as HeadTarget)._header, res };
  }
  const createHeads = () => new HeadWriter(['x-common', '1', 'vary', 'b'], () => now);
  const kept = createHeads();
  /** Node writes the head of a new writer. Returns how many heads of the other one Node wrote. */
  function countWritten(values: Partial<HeadValues>, added: readonly Headers[] = [], keepsAlive = true): number {
    const { head } = writeHead(createHeads(), values, added, keepsAlive);
    written = 0;
    expect(writeHead(kept, values, added, keepsAlive).head)
      .to.equal(head)
      .and.to.match(/^HTTP.*\r\n\r\n$/s);
    return written;
  }

  it('is written by Node once in a second, and has its own length and id', () => {
    const counts = [
      {},
      { length: 15, id: 'b' },
      { status: 404 },
      { status: 404, id: 'c' },
      { type: 'text/y' },
      { id: 'd' },
    ];
    expect(counts.map((values) => countWritten(values))).to.deep.equal([1, 0, 1, 0, 1, 0]);
    now += 999;
    expect(countWritten({})).to.equal(0);
    now += 1;
    expect([countWritten({}), countWritten({})]).to.deep.equal([1, 0]);
  });

  it('is only that of a response with the same headers', () => {
    const two = [{ 'x-a': '1', 'x-b': '2' }];
    expect([countWritten({}, two), countWritten({ id: 'e' }, two), countWritten({}, [{ 'x-a': '2' }])]).to.deep.equal([
      1, 0, 1,
    ]);
    expect([countWritten({}, [{ vary: 'c' }]), countWritten({}, [{ vary: 'c' }, { 'x-common': '3' }])]).to.deep.equal([
      1, 1,
    ]);
    for (const value of ['1\r\nx-b: 2', '1","x-b","2', '1"]["x-b","2'])
      if (value.includes('\r')) expect(() => writeHead(kept, {}, [{ 'x-a': value }])).to.throw('Invalid character');
      else expect(countWritten({}, [{ 'x-a': value }])).to.equal(1);
    const own = { 'x-request-id': 'own' };
    expect([countWritten({}, [own]), countWritten({ id: 'f' }, [own])]).to.deep.equal([1, 1]);
    for (let n = 0; n < 100; n++) countWritten({}, [{ 'x-n': String(n) }]);
    expect([countWritten({}, [{ 'x-n': '99' }]), countWritten({}, two)]).to.deep.equal([1, 0]);
  });

  it('is always written by Node where the connection ends, and where there is no body', () => {
    const close = [{ connection: 'close' }];
    expect([countWritten({}, close), countWritten({}, close)]).to.deep.equal([1, 1]);
    expect([countWritten({}), countWritten({}, [], false)]).to.deep.equal([0, 1]);
    for (const status of [204, 304]) expect([countWritten({ status }), countWritten({ status })]).to.deep.equal([1, 1]);
    const { res } = writeHead(kept, {}, []);
    const again = { status: 200, type: 'text/x', length: 2, id: 'a' };
    expect(() => kept.write(res, again)).to.throw('after they are sent');
  });
});

describe('CORS origins', () => {
  const page = 'https://app.example.com';
  const cors = (origins: readonly string[]) => createCors(origins, ['GET', 'POST']) ?? expect.fail('none may call');
  const preflight = (headers: Headers, rest: object = {}) =>
    request({ origin: page, 'access-control-request-method': 'POST', ...headers }, { method: 'OPTIONS', ...rest });
  const EXPOSED =
    'x-request-id, retry-after, x-ratelimit-limit, x-ratelimit-remaining, x-ratelimit-reset, server-timing';
  const granted = (origin: string) => ({
    ...{ 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED },
    ...(origin !== '*' && { vary: 'origin' }),
  });
  const preflown = { 'access-control-allow-methods': 'GET, POST', 'access-control-max-age': '600' };

  it('allow no origin by default', () => expect(createCors([], ['GET'])).to.equal(null));

  it('allow the configured origins as browsers write them, and every response varies by Origin', () => {
    const some = cors(['https://App.example.com:443', 'http://localhost:3000']);
    const of = (origin?: string) => some.getHeaders(request(origin === undefined ? {} : { origin }));
    expect(of(page)).to.deep.equal(granted(page));
    expect(of('http://localhost:3000')).to.deep.equal(granted('http://localhost:3000'));
    for (const other of [
      undefined,
      'null',
      'https://example.com',
      `${page}:8443`,
      'http://app.example.com',
      'http://localhost',
    ])
      expect(of(other), other).to.deep.equal({ vary: 'origin' });
  });

  it('allow every origin with "*", whatever else is in the list', () => {
    const all = cors([page, '*']);
    const headers = (req: IncomingMessage) => all.getHeaders(req);
    expect([headers(request()), headers(request({ origin: page }))]).to.deep.equal([granted('*'), granted('*')]);
  });

  it('answer a preflight request with OPTIONS, an origin and the method', () => {
    const one = cors([page]);
    expect(one.handlePreflight(preflight({}))).to.deep.equal({ ...granted(page), ...preflown });
    expect(one.handlePreflight(preflight({}, { method: 'POST' }))).to.equal(null);
    expect(one.handlePreflight(request({ origin: page }, { method: 'OPTIONS' }))).to.equal(null);
    expect(one.handlePreflight(request({ 'access-control-request-method': 'POST' }, { method: 'OPTIONS' }))).to.equal(
      null,
    );
    expect(one.handlePreflight(preflight({ origin: 'https://example.com' }))).to.deep.equal({ vary: 'origin' });
  });

  it('allow the requested headers that are valid names', () => {
    const allowed = (asked: string) =>
      cors([page]).handlePreflight(preflight({ 'access-control-request-headers': asked }))?.[
        'access-control-allow-headers'
      ];
    for (const fine of ['authorization', 'x-a, x-b', '*', 'x'.repeat(1024)]) expect(allowed(fine)).to.equal(fine);
    for (const odd of ['', 'x\r\ny: 1', 'a;b', '"a"', 'ä', 'x'.repeat(1025)]) expect(allowed(odd)).to.equal(undefined);
  });
});

describe('response bodies of plugin routes', () => {
  async function sendReply(status: number, body: RouteReply['body'], method = 'GET') {
    const [chunks, heads]: [string[], unknown[]] = [[], []];
    const res = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        chunks.push(chunk.toString());
        done();
      },
    });
    Object.assign(res, { writeHead: (...head: unknown[]) => heads.push(...head) });
    await sendRoute(res as unknown as ServerResponse, method, { status, body, headers: {} }, { 'x-a': '1' });
    return [heads, chunks.join('')];
  }
  const parts = (fails = false) =>
    (async function* () {
      await Promise.resolve();
      yield Buffer.from('a');
      if (fails) throw new Error('the disk is gone');
      yield Buffer.from('b');
    })();

  it('have Content-Length where the length is known, but not for 204 and 304', async () => {
    expect(await sendReply(200, 'ä')).to.deep.equal([[200, { 'content-length': '2', 'x-a': '1' }], 'ä']);
    expect(await sendReply(200, Buffer.from('abc'))).to.deep.equal([
      [200, { 'content-length': '3', 'x-a': '1' }],
      'abc',
    ]);
    expect(await sendReply(404, null)).to.deep.equal([[404, { 'content-length': '0', 'x-a': '1' }], '']);
    for (const status of [204, 304])
      expect(await sendReply(status, null)).to.deep.equal([[status, { 'x-a': '1' }], '']);
  });

  it('are streamed, and omitted for HEAD', async () => {
    expect(await sendReply(200, parts())).to.deep.equal([[200, { 'x-a': '1' }], 'ab']);
    expect(await sendReply(200, parts(), 'HEAD')).to.deep.equal([[200, { 'x-a': '1' }], '']);
  });

  it('abort the response when the stream fails', async () => {
    const failure: unknown = await sendReply(200, parts(true)).catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'the disk is gone');
  });
});

describe('status page', () => {
  const FINE = { ok: true };
  const status = (plugins: object, rest = '', closing = false, connections: (() => number) | null = null) => {
    const kernel = {
      health: () => Promise.resolve(plugins),
      degraded: () => ['a'],
      plans: () => ({ hash: 'hash', byId: new Map([['x', {}]]) }),
    } as unknown as Kernel;
    return getStatus(kernel, rest, closing, connections);
  };
  const common = { live: true, degraded: ['a'], definitions: 'hash', resources: 1 };

  it('reports alive in every state, and serves no other path', async () => {
    expect(await status({ a: { ok: false } }, '/live', true)).to.deep.equal({ status: 200, body: { live: true } });
    expect([await status({}, '/other'), await status({}, '/')]).to.deep.equal([null, null]);
  });

  it('reports ready when every required plugin is ready and the server does not stop', async () => {
    const ready = async (...given: Parameters<typeof status>) => {
      const found = await status(...given);
      return [found?.status, (found?.body as { ready: boolean }).ready];
    };
    for (const rest of ['', '/ready']) {
      expect(await ready({ a: FINE }, rest)).to.deep.equal([200, true]);
      expect(await ready({ a: FINE, b: { ok: false, optional: true } }, rest)).to.deep.equal([200, true]);
      expect(await ready({ a: FINE, b: { ok: false } }, rest)).to.deep.equal([503, false]);
      expect(await ready({ a: FINE }, rest, true)).to.deep.equal([503, false]);
    }
  });

  it('counts connections where sockets are enabled', async () => {
    const plugins = { a: FINE };
    expect((await status(plugins))?.body).to.deep.equal({ ...common, ready: true, plugins });
    expect((await status(plugins, '', false, () => 0))?.body).to.deep.include({ ...common, connections: 0 });
  });
});
