/**
 * Slow, failing or hostile services: every call ends, by its deadline and within its limits, and reveals nothing of the
 * response. The config shortens the deadlines, so that nothing has to be awaited.
 */
import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import type { Invocation } from '../../contract/plan.js';
import { invokePlan } from '../../kernel/runtime/invoke.js';
import type { Loose } from '../support/client.js';
import { createTestInvocation } from '../support/invocation.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createJsonBehaviour, startUpstream, type Behaviour, type Upstream } from '../support/upstream.js';
import { startStopwatch } from '../support/stopwatch.js';

const CAP = 200_000;
const JSON_TYPE = { 'content-type': 'application/json' };

/** Writes again and again until the other side is gone. */
const endless =
  (head: Record<string, string>, chunk: Buffer, pause: number): Behaviour =>
  (_req, res) => {
    res.writeHead(200, head);
    const timer = setInterval(() => res.write(chunk), pause);
    res.on('close', () => clearInterval(timer));
  };

/** Fifty megabytes once it is unpacked. */
const BOMB = gzipSync(Buffer.alloc(50_000_000, ' '));

const nestArrays = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
const raw =
  (text: string | Buffer, headers: Record<string, string> = JSON_TYPE): Behaviour =>
  (_req, res) =>
    void res.writeHead(200, headers).end(text);

describe('HTTPREQUEST and failing services', () => {
  let upstream!: Upstream;
  let other!: Upstream;
  let kernel!: TestKernel;
  /** Number of requests for each path. */
  const count = (path: string): number => upstream.requests.filter(({ url }) => url === path).length;

  /** Connections with a response; the next request closes them. */
  const seen = new WeakSet<object>();
  const failing: Record<string, Behaviour> = {
    '/silent': () => undefined,
    '/trickling': endless(JSON_TYPE, Buffer.from(' '), 20),
    '/endless': endless(JSON_TYPE, Buffer.alloc(65_536, 'a'), 1),
    '/announced': (_req, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'content-length': String(10 ** 10) });
      res.write('[');
    },
    '/bomb': (_req, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'content-encoding': 'gzip' }).end(BOMB);
    },
    '/no-gzip': raw('{"a":1}', { ...JSON_TYPE, 'content-encoding': 'gzip' }),
    '/reset': (req) => void req.socket.resetAndDestroy(),
    '/cut': (req, res) => {
      res.writeHead(200, { ...JSON_TYPE, 'content-length': '100' });
      res.write('{"a":', () => req.socket.destroy());
    },
    '/deep': raw(nestArrays(100)),
    '/keys': raw(JSON.stringify(Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`k${i}`, i])))),
    '/array': raw(`[${'1,'.repeat(60)}1]`),
    '/poison': raw('{"a":{"__proto__":{"admin":true}}}'),
    '/poison-escaped': raw('{"a":{"\\u005f_proto__":{"admin":true}}}'),
    '/poison-constructor': raw('{"constructor":{"prototype":{}}}'),
    '/broken': raw('{"a":'),
    '/latin': raw(Buffer.from('{"a":"\xe9"}', 'latin1')),
    '/page': raw('<html>not json</html>'),
    '/image': raw(Buffer.from([0x89, 0x50, 0, 1]), { 'content-type': 'image/png' }),
    '/text-zero': raw('a\0b', { 'content-type': 'text/plain' }),
    '/headers': (req) => void req.socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    '/no-http': (req) => void req.socket.end('hello\r\n\r\n'),
    '/two-lengths': (req) =>
      void req.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 5\r\n\r\n{}abc'),
    '/redirect': (_req, res) => void res.writeHead(302, { location: '/landed' }).end(),
    '/away': (_req, res) => void res.writeHead(307, { location: `${other.url}/landed` }).end(),
    '/downgrade': (_req, res) => void res.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    '/circle': (_req, res) => void res.writeHead(308, { location: '/circle' }).end(),
    '/flaky': (req, res, asked) =>
      count('/flaky') % 3 === 0 ? createJsonBehaviour({ done: true })(req, res, asked) : void res.writeHead(503).end(),
    '/always-503': (_req, res) => void res.writeHead(503).end(),
    '/always-400': (_req, res) => void res.writeHead(400).end(),
    '/stale': (req, res, asked) => {
      if (seen.has(req.socket)) return void req.socket.destroy();
      seen.add(req.socket);
      createJsonBehaviour({ method: asked.method })(req, res, asked);
    },
    '/hinting': (_req, res) => {
      res.writeEarlyHints({ link: '</a>; rel=preload' });
      res.writeHead(200, JSON_TYPE).end('{"ok":true}');
    },
  };

  before(async function () {
    upstream = await startUpstream((req, res, asked) =>
      (failing[asked.url] ?? createJsonBehaviour({ url: asked.url, method: asked.method }))(req, res, asked),
    );
    other = await startUpstream(createJsonBehaviour({ reached: true }));
    const { url } = upstream;
    const defineCall = (id: string, http: Loose): Loose => ({
      id,
      resource: id,
      actionables: [{ id: 1, mode: 'HTTPREQUEST', http }],
    });
    const plain = Object.keys(failing).map((path) => defineCall(path.slice(1), { url: url + path }));
    const closed = await startUpstream(createJsonBehaviour(null));
    await closed.close();
    kernel = await startKernel({
      files: {
        'definitions/a.json': [
          ...plain,
          defineCall('quick', { url: `${url}/silent`, timeout: 0.05 }),
          // Unpacked ten at a time, which a busy machine does slowly.
          defineCall('bombs', { url: `${url}/bomb`, timeout: 2 }),
          defineCall('long', { url: `${url}/silent`, timeout: 3000 }),
          defineCall('closed', { url: closed.url }),
          defineCall('no-name', { url: 'http://no-such-host.invalid/' }),
          defineCall('follows', {
            url: `${url}/redirect`,
            follow_redirects: 1,
            headers: { authorization: 'canary-of-a-key' },
          }),
          defineCall('follows-away', {
            url: `${url}/away`,
            follow_redirects: 3,
            method: 'POST',
            headers: { authorization: 'canary-of-a-key' },
            request_body: { a: 1 },
          }),
          defineCall('follows-circle', { url: `${url}/circle`, follow_redirects: 3 }),
          defineCall('follows-file', { url: `${url}/downgrade`, follow_redirects: 3 }),
          defineCall('again', { url: `${url}/flaky`, timeout: 3, retries: 3 }),
          defineCall('again-post', {
            url: `${url}/flaky`,
            timeout: 3,
            retries: 3,
            method: 'POST',
            headers: { 'Idempotency-Key': '$PAYLOAD.key' },
          }),
          defineCall('again-503', { url: `${url}/always-503`, timeout: 3, retries: 1 }),
          defineCall('again-400', { url: `${url}/always-400`, timeout: 3, retries: 3 }),
          defineCall('again-reset', { url: `${url}/reset`, timeout: 3, retries: 1 }),
          defineCall('stale-post', { url: `${url}/stale`, method: 'POST', request_body: {} }),
          defineCall('plain', { url: `${url}/plain`, method: 'POST', request_body: {} }),
          defineCall('keyed', {
            url: `${url}/plain`,
            method: 'POST',
            headers: { 'idempotency-key': 'own', traceparent: 'own' },
          }),
        ],
      },
      config: {
        outbound: {
          allow: ['127.0.0.0/8'],
          timeouts: { connect: 0.5, total: 0.7, most: 2 },
          limits: { reply: CAP, depth: 20, keys: 50, array: 50 },
        },
      },
    });
  });
  after(async () => {
    await kernel.close();
    await Promise.all([upstream.close(), other.close()]);
  });

  const expectFailure = async (path: string, status: number, code: string): Promise<Loose> => {
    const given = await kernel.post(path, {});
    expect(given.status, `${path} ${given.text}`).to.equal(status);
    expect(given.body['code'], path).to.equal(code);
    return given.body;
  };

  for (const path of ['/silent', '/trickling', '/quick', '/long']) {
    it(`${path}: returns 504 after the deadline`, async () => {
      const elapsed = startStopwatch();
      await expectFailure(path, 504, 'OUT_TIMEOUT');
      const bounds: Record<string, number> = { '/quick': 600, '/long': 3500 };
      expect(elapsed()).to.be.lessThan(bounds[path] ?? 2500);
    });
  }

  for (const path of [
    ...['/endless', '/announced', '/bomb', '/no-gzip', '/deep', '/keys', '/array', '/poison', '/poison-escaped'],
    ...[
      '/poison-constructor',
      '/broken',
      '/latin',
      '/page',
      '/image',
      '/text-zero',
      '/headers',
      '/no-http',
      '/two-lengths',
    ],
  ]) {
    it(`${path}: returns 502, and nothing of the response`, async () => {
      const body = await expectFailure(path, 502, 'OUT_UNREADABLE');
      expect(JSON.stringify(body)).not.to.match(/admin|html|PNG|hello/);
    });
  }

  it('never buffers more than the limit of a compressed response', async function () {
    const before = process.memoryUsage().rss;
    await Promise.all(Array.from({ length: 10 }, () => expectFailure('/bombs', 502, 'OUT_UNREADABLE')));
    // Together they would unpack to half a gigabyte.
    expect(process.memoryUsage().rss - before).to.be.lessThan(300_000_000);
  });

  for (const path of ['/reset', '/cut', '/closed', '/no-name']) {
    it(`${path}: returns 502`, () => expectFailure(path, 502, 'OUT_FAILED'));
  }

  it('closes the connection of a failed call', async () => {
    await expectFailure('/trickling', 504, 'OUT_TIMEOUT');
    await expectFailure('/endless', 502, 'OUT_UNREADABLE');
    const { status } = await kernel.post('/plain', {});
    expect(status).to.equal(200);
    // Closing takes an event or two on the other side.
    for (let i = 0; i < 200 && upstream.countOpen() > 1; i++) await new Promise((done) => setImmediate(done));
    expect(upstream.countOpen()).to.be.at.most(1);
  });

  it('follows no redirect unless configured', async () => {
    const body = await expectFailure('/redirect', 502, 'OUT_STATUS');
    expect(body['errors']).to.deep.equal([{ pointer: '', code: 'OUT_STATUS', detail: '302' }]);
    expect(count('/landed')).to.equal(0);
  });

  it('follows a redirect within the origin', async () => {
    const { status, body } = await kernel.post('/follows', {});
    expect(status).to.equal(200);
    expect(body).to.include({ url: '/landed', method: 'GET' });
    expect(upstream.requests.find(({ url }) => url === '/landed')?.headers).to.include({
      authorization: 'canary-of-a-key',
    });
  });

  it('never follows one to another origin or scheme, or more than the limit', async () => {
    await expectFailure('/follows-away', 502, 'OUT_STATUS');
    await expectFailure('/follows-file', 502, 'OUT_STATUS');
    await expectFailure('/follows-circle', 502, 'OUT_STATUS');
    expect(other.requests).to.deep.equal([]);
    expect(count('/circle')).to.equal(4);
  });

  it('repeats a call after a temporary failure, with the same key', async function () {
    upstream.requests.splice(0);
    expect((await kernel.post('/again', {})).body).to.deep.equal({ done: true });
    expect(count('/flaky')).to.equal(3);
    expect((await kernel.post('/again-post', { key: 'k-1' })).body).to.deep.equal({ done: true });
    const keys = upstream.requests.slice(3).map(({ headers }) => headers['idempotency-key']);
    expect(keys).to.deep.equal(['k-1', 'k-1', 'k-1']);
  });

  it('repeats a call as often as configured, and only calls that may succeed', async () => {
    upstream.requests.splice(0);
    await expectFailure('/again-503', 502, 'OUT_STATUS');
    await expectFailure('/again-400', 502, 'OUT_STATUS');
    await expectFailure('/again-reset', 502, 'OUT_FAILED');
    expect([count('/always-503'), count('/always-400')]).to.deep.equal([2, 1]);
    // One more if an idle connection was used.
    expect(count('/reset')).to.be.within(2, 3);
  });

  it('repeats a call immediately on a new connection if an idle one was closed, but never one that may have been executed', async () => {
    for (let i = 0; i < 4; i++) expect((await kernel.post('/stale', {})).body).to.deep.equal({ method: 'GET' });
    await expectFailure('/stale-post', 502, 'OUT_FAILED');
    expect((await kernel.post('/stale-post', {})).body).to.deep.equal({ method: 'POST' });
  });

  it('does not treat informational responses as the response', async () => {
    expect((await kernel.post('/hinting', {})).body).to.deep.equal({ ok: true });
  });

  it('logs host, code and reason of a failure, and nothing that was sent or received', async () => {
    const from = kernel.log.length;
    await expectFailure('/follows-away', 502, 'OUT_STATUS');
    const rows = kernel.log.slice(from);
    expect(rows.find(({ message }) => message === 'HTTP call failed')?.fields).to.deep.equal({
      action: 'follows-away#1',
      host: `127.0.0.1:${upstream.port}`,
      code: 'OUT_STATUS',
      reason: '307',
    });
    expect(JSON.stringify(rows)).not.to.contain('canary');
  });

  describe('together with a request', () => {
    const run = async (id: string, rest: Partial<Invocation>): Promise<Loose> => {
      upstream.requests.splice(0);
      await invokePlan(kernel.kernel.plans().byId.get(id)!, createTestInvocation({}, rest), kernel.kernel.hooks);
      return upstream.requests[0]!.headers;
    };

    it('sends the id of a job, and headers of a trace', async () => {
      const trace = { traceparent: '00-1-2-01' };
      expect(await run('plain', { id: 'job-7', trigger: 'job', trace })).to.include({
        'idempotency-key': 'job-7',
        ...trace,
      });
      expect(await run('plain', { id: 'r-1', trigger: 'http' })).not.to.include.any.keys(
        'idempotency-key',
        'traceparent',
      );
    });

    it('does not override headers of the definition', async () => {
      const headers = await run('keyed', { id: 'job-7', trigger: 'job', trace: { traceparent: 'other' } });
      expect(headers).to.include({ 'idempotency-key': 'own', traceparent: 'own' });
    });
  });
});
