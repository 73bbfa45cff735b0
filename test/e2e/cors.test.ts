/** CORS, and the headers of every response: over real HTTP, for every source of a response. */
import { expect } from 'chai';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';

const ORIGIN = 'https://app.example.com';
const FILES = { 'definitions/a.json': defineReturnResource('echo', '$PAYLOAD') };
const OBSERVERS = { figures: { use: 'prometheus' } };
const createOriginInit = (origin: string, more: Record<string, string> = {}): RequestInit => ({
  headers: { origin, ...more },
});

describe('CORS', () => {
  const kernels: TestKernel[] = [];
  const start = async (http: object, env: Record<string, string> = {}): Promise<TestKernel> => {
    const kernel = await startKernel({ files: FILES, config: { http, observers: OBSERVERS }, env });
    kernels.push(kernel);
    return kernel;
  };
  after(() => Promise.all(kernels.map((kernel) => kernel.close())));

  const preflight = (kernel: TestKernel, origin: string, more: Record<string, string> = {}) =>
    kernel.request('OPTIONS', '/echo', createOriginInit(origin, { 'access-control-request-method': 'POST', ...more }));
  const allowed = (headers: Headers): string | null => headers.get('access-control-allow-origin');

  it('allows no origin by default: no header allows it, and a preflight is a request like any other', async () => {
    const kernel = await start({});
    const answer = await kernel.post('/echo', { a: 1 }, createOriginInit(ORIGIN));
    expect([answer.status, allowed(answer.headers), answer.headers.get('vary')]).to.deep.equal([200, null, null]);
    const { status, headers } = await preflight(kernel, ORIGIN);
    expect([status, allowed(headers), headers.get('access-control-allow-methods')]).to.deep.equal([405, null, null]);
  });

  describe('with origins in the config', () => {
    let kernel: TestKernel;
    before(async () => {
      kernel = await start({ allowed_origins: [ORIGIN, 'https://other.example.com:443'], methods: ['POST', 'GET'] });
    });

    it('returns the allowed origin, and varies by it', async () => {
      const { headers, status } = await kernel.post('/echo', { a: 1 }, createOriginInit(ORIGIN));
      expect([status, allowed(headers), headers.get('vary')]).to.deep.equal([200, ORIGIN, 'origin']);
      expect(headers.get('access-control-expose-headers')).to.contain('x-request-id').and.contain('retry-after');
      expect(headers.get('access-control-allow-credentials')).to.equal(null);
    });

    it('returns it in error responses, the status page and pages of plugins, so that a page can read the error', async () => {
      for (const [method, path, init, expected] of [
        ['POST', '/echo', { body: '{"broken', headers: { origin: ORIGIN, 'content-type': 'application/json' } }, 400],
        ['POST', '/nowhere', createOriginInit(ORIGIN), 404],
        ['PUT', '/echo', createOriginInit(ORIGIN), 405],
        ['GET', '/status', createOriginInit(ORIGIN), 200],
        ['GET', '/metrics', createOriginInit(ORIGIN), 200],
        ['POST', '/metrics', createOriginInit(ORIGIN), 405],
        ['HEAD', '/echo', createOriginInit(ORIGIN), 200],
        ['HEAD', '/metrics', createOriginInit(ORIGIN), 200],
      ] as const) {
        const { status, headers } = await kernel.request(method, path, init);
        const seen = [status, allowed(headers), headers.get('vary')];
        expect(seen, `${method} ${path}`).to.deep.equal([expected, ORIGIN, 'origin']);
      }
    });

    it('returns the allowed verbs and headers for a preflight, without running the resource', async () => {
      const { status, headers, text } = await preflight(kernel, ORIGIN, {
        'access-control-request-headers': 'authorization,content-type',
      });
      expect([status, text, allowed(headers), headers.get('vary')]).to.deep.equal([204, '', ORIGIN, 'origin']);
      expect(headers.get('access-control-allow-methods')).to.equal('POST, GET, HEAD');
      expect(headers.get('access-control-allow-headers')).to.equal('authorization,content-type');
      expect(headers.get('access-control-max-age')).to.equal('600');
      expect(headers.get('x-content-type-options')).to.equal('nosniff');
      expect(headers.get('x-request-id')).to.be.a('string');
    });

    it('treats an origin with the default port as the same origin', async () => {
      const { headers } = await kernel.post('/echo', {}, createOriginInit('https://other.example.com'));
      expect(allowed(headers)).to.equal('https://other.example.com');
    });

    for (const origin of [
      'https://app.example.com.evil.test',
      'https://evil.test',
      'http://app.example.com',
      'https://app.example.com:8443',
      'HTTPS://APP.EXAMPLE.COM',
      'https://app.example.com/',
      'null',
      '*',
      'constructor',
      '__proto__',
    ]) {
      it(`rejects another origin: ${origin}`, async () => {
        const { headers } = await kernel.post('/echo', {}, createOriginInit(origin));
        expect([allowed(headers), headers.get('vary')]).to.deep.equal([null, 'origin']);
        const asked = await preflight(kernel, origin, { 'access-control-request-headers': 'authorization' });
        expect([asked.status, allowed(asked.headers)]).to.deep.equal([204, null]);
        expect(asked.headers.get('access-control-allow-methods')).to.equal(null);
        expect(asked.headers.get('access-control-allow-headers')).to.equal(null);
      });
    }

    it('never returns a header that a preflight requests', async () => {
      const lines = formatRequestHead('OPTIONS', '/echo', {
        origin: ORIGIN,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'a;b="c"',
        connection: 'close',
      });
      const answer = parseRaw(await kernel.raw(lines));
      expect(answer.status).to.equal(204);
      expect(answer.head).not.to.contain('access-control-allow-headers').and.not.contain('a;b');
    });

    it('treats OPTIONS that is not a preflight like any other verb', async () => {
      expect((await kernel.request('OPTIONS', '/echo', createOriginInit(ORIGIN))).status).to.equal(405);
      const { status } = await kernel.request('OPTIONS', '/echo', {
        headers: { 'access-control-request-method': 'POST' },
      });
      expect(status).to.equal(405);
    });
  });

  it('reads ALLOWED_ORIGINS before the config; an invalid origin prevents the start', async () => {
    const kernel = await start(
      { allowed_origins: ['https://old.example.com'] },
      { ALLOWED_ORIGINS: `https://a.test|${ORIGIN}` },
    );
    expect(allowed((await kernel.post('/echo', {}, createOriginInit(ORIGIN))).headers)).to.equal(ORIGIN);
    expect(allowed((await kernel.post('/echo', {}, createOriginInit('https://old.example.com'))).headers)).to.equal(
      null,
    );
    for (const wrong of ['app.example.com', `${ORIGIN}/path`, '*.example.com', `${ORIGIN},https://b.test`]) {
      const failure = await start({}, { ALLOWED_ORIGINS: wrong }).then(
        () => null,
        (error: { code?: string }) => error.code,
      );
      expect(failure, wrong).to.equal('CFG_VARIABLE');
    }
  });

  it('lets every page read with `*`, with or without an origin in the request, so that caches may share', async () => {
    const kernel = await start({ allowed_origins: ['*'] });
    for (const init of [createOriginInit(ORIGIN), createOriginInit('null'), {}]) {
      const { headers } = await kernel.post('/echo', {}, init);
      expect([allowed(headers), headers.get('vary'), headers.get('access-control-allow-credentials')]).to.deep.equal([
        '*',
        null,
        null,
      ]);
    }
  });
});

describe('headers of every response', () => {
  const SAFE = {
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  };
  const every = [
    ['POST', '/echo', 200],
    ['POST', '/nowhere', 404],
    ['DELETE', '/echo', 405],
    ['GET', '/status', 200],
    ['HEAD', '/status/live', 200],
    ['GET', '/metrics', 200],
    ['PUT', '/metrics', 405],
  ] as const;
  const kernels: TestKernel[] = [];
  const start = async (headers: object): Promise<TestKernel> => {
    const kernel = await startKernel({ files: FILES, config: { http: { headers }, observers: OBSERVERS } });
    kernels.push(kernel);
    return kernel;
  };
  after(() => Promise.all(kernels.map((kernel) => kernel.close())));

  it('prevent browsers from guessing, running, framing or storing a response, and do not name the server', async () => {
    const kernel = await start({});
    for (const [method, path, expected] of every) {
      const { status, headers } = await kernel.request(method, path);
      const place = `${method} ${path}`;
      expect(status, place).to.equal(expected);
      for (const [name, value] of Object.entries(SAFE)) expect(headers.get(name), `${place} ${name}`).to.equal(value);
      expect(headers.get('x-request-id'), place).to.match(/^[0-9a-f-]{36}$/);
      for (const name of ['server', 'x-powered-by']) expect(headers.get(name), `${place} ${name}`).to.equal(null);
    }
  });

  it('are replaced by those of the config, and removed by an empty value', async () => {
    const kernel = await start({
      'Strict-Transport-Security': 'max-age=31536000',
      'Referrer-Policy': 'same-origin',
      'content-security-policy': '',
    });
    for (const [method, path] of every) {
      const { headers } = await kernel.request(method, path);
      expect(headers.get('strict-transport-security'), path).to.equal('max-age=31536000');
      expect(headers.get('referrer-policy'), path).to.equal('same-origin');
      expect(headers.get('content-security-policy'), path).to.equal(null);
      expect(headers.get('x-content-type-options'), path).to.equal('nosniff');
    }
  });

  it('prevent the start if a name would make every response invalid', async () => {
    for (const headers of [{ 'bad name': 'x' }, { 'content-length': '3' }, { good: 'a\r\nset-cookie: b' }]) {
      const failure = await start(headers).then(
        () => null,
        (error: { code?: string }) => error.code,
      );
      expect(failure, JSON.stringify(headers)).to.equal('KRN_BROKEN_SET');
    }
  });

  it('of GET are returned for HEAD, also the length, without a body', async () => {
    const kernel = await start({});
    const [get, asked] = await Promise.all(
      ['GET', 'HEAD'].map(async (method) =>
        parseRaw(await kernel.raw(formatRequestHead(method, '/status/live', { connection: 'close' }))),
      ),
    );
    expect(asked?.body).to.equal('');
    expect(get?.body).to.equal('{"live":true}');
    const removeVaryingHeaders = (text = ''): string[] =>
      text.split('\r\n').filter((line) => !/^(date|x-request-id):/.test(line));
    expect(removeVaryingHeaders(asked?.head)).to.deep.equal(removeVaryingHeaders(get?.head));
  });
});
