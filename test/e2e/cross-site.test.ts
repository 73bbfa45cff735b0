/**
 * Requests that a page of another origin can send through a browser, and names that a page can resolve to this machine:
 * over real HTTP and WebSocket, with the headers of browsers.
 */
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { formatRequestHead, parseRaw } from '../support/client.js';
import { startKernel, type TestKernel, type TestKernelOptions } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { connect, expectRejectedUpgrade, UPGRADE } from '../support/sockets.js';

const APP = 'https://app.example.com';
const EVIL = 'https://evil.example';
const SECRET = 'a secret of a webhook, long enough';
const verified = (verifications: object): object => ({ webhook: { verifications } });
const TOKENIZE = { type: 'JWT', encryption_key: '$ENV.KEY' };
const HMAC = { HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.SECRET' } };
const HERE = { IpAllowListVerifier: { allowed_ips: '127.0.0.1' } };
const FILES = {
  'definitions/a.json': [
    defineReturnResource('open', { done: true }),
    defineReturnResource('session', { by: '$HEADER.cookie' }),
    defineReturnResource('network', { done: true }, verified(HERE)),
    defineReturnResource(
      'cookie',
      { done: true },
      verified({ HeaderTokenVerifier: { header_key: '$HEADER.cookie', secret_key: '$ENV.SECRET' } }),
    ),
    defineReturnResource('either', { done: true }, verified({ composition_strategy_mode: 'ANY', ...HMAC, ...HERE })),
    defineReturnResource('signed', { done: true }, verified(HMAC)),
    defineReturnResource('token', { done: true }, { tokenize: TOKENIZE, protected: {} }),
  ],
};
const ENV = { SECRET, KEY: 'k'.repeat(32) };

type Headers = Readonly<Record<string, string>>;
const FORM = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
/** A form that a page sends by itself. */
const form = (kernel: TestKernel, path: string, headers: Headers) =>
  kernel.request('POST', path, {
    headers: { 'content-type': 'multipart/form-data; boundary=b', ...headers },
    body: FORM,
  });

describe('cross-site requests', () => {
  const kernels: TestKernel[] = [];
  const start = async ({ config, ...rest }: TestKernelOptions = {}): Promise<TestKernel> => {
    const kernel = await startKernel({
      files: FILES,
      env: ENV,
      config: {
        websocket: { enabled: true },
        ...config,
        http: { methods: ['POST', 'GET', 'PUT'], ...(config?.['http'] as object) },
      },
      ...rest,
    });
    kernels.push(kernel);
    return kernel;
  };
  after(() => Promise.all(kernels.map((kernel) => kernel.close())));

  let kernel: TestKernel;
  let reached: TestKernel;
  before(async () => {
    kernel = await start({ config: { http: { allowed_origins: [APP] } } });
    // Behind a proxy: not for this machine only.
    reached = await start({ config: { http: { allowed_origins: [APP], trusted_proxies: 1 } } });
  });

  it('rejects forms, plain text and empty bodies, by the origin and by `sec-fetch-site`', async () => {
    const own = { origin: `http://127.0.0.1:${kernel.server.port}` };
    const foreign: readonly Headers[] = [
      { origin: EVIL },
      { origin: 'null' },
      { origin: `http://127.0.0.1:${kernel.server.port + 1}` },
      { origin: EVIL, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-site', origin: EVIL },
    ];
    for (const path of ['/open', '/network'])
      for (const headers of foreign) {
        const answers = [
          await form(kernel, path, headers),
          await kernel.post(path, '{}', { headers: { ...headers, 'content-type': 'text/plain' } }),
          await kernel.post(path, 'a=1', {
            headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
          }),
          await kernel.post(path, undefined, { headers }),
        ];
        const seen = answers.map(({ status, body }) => [status, body['code']]);
        expect(seen, JSON.stringify(headers)).to.deep.equal(Array(4).fill([403, 'REQ_CROSS_SITE']));
      }
    for (const headers of [
      {},
      own,
      { origin: APP },
      { 'sec-fetch-site': 'same-origin', origin: EVIL },
      { 'sec-fetch-site': 'none' },
    ])
      for (const path of ['/open', '/network'])
        expect((await form(kernel, path, headers)).status, JSON.stringify(headers)).to.equal(200);
  });

  it('does not check requests after a preflight, nor those with a proof in a header', async () => {
    const headers = { origin: EVIL, 'sec-fetch-site': 'cross-site' };
    expect((await kernel.post('/open', {}, { headers })).status).to.equal(200);
    expect((await kernel.request('PUT', '/open', { headers })).status).to.equal(200);
    const signature = createHmac('sha256', SECRET).update(FORM).digest('hex');
    expect((await form(kernel, '/signed', { ...headers, 'x-signature': signature })).status).to.equal(200);
    expect((await form(kernel, '/signed', headers)).body).to.include({ code: 'WHK_REFUSED' });
    expect((await form(kernel, '/token', headers)).body).to.include({ code: 'TOK_REFUSED' });
    expect((await form(kernel, '/either', headers)).body).to.include({ code: 'REQ_CROSS_SITE' });
  });

  it('rejects GET; accepts a link that a user follows if the resource has no proof and the server is public', async () => {
    const image = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' };
    const frame = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'iframe' };
    const link = { ...frame, 'sec-fetch-dest': 'document' };
    const status = async (on: TestKernel, path: string, headers: Headers): Promise<number> =>
      // `fetch` of Node would write `sec-fetch-mode` by itself.
      parseRaw(await on.raw(formatRequestHead('GET', path, { connection: 'close', ...headers }))).status;
    for (const headers of [image, frame, link])
      for (const path of ['/open', '/network', '/session'])
        expect(await status(kernel, path, headers), path).to.equal(403);
    for (const headers of [image, frame]) expect(await status(reached, '/open', headers)).to.equal(403);
    expect(await status(reached, '/open', link)).to.equal(200);
    for (const path of ['/network', '/session']) expect(await status(reached, path, link), path).to.equal(403);
    expect(await status(kernel, '/open', {})).to.equal(200);
    expect(await status(kernel, '/status', image)).to.equal(200);
  });

  it('rejects `*` if a cookie or an address is the proof, over connections too', async () => {
    const all = await start({ config: { http: { allowed_origins: ['*'] } } });
    const headers = { origin: EVIL, cookie: SECRET };
    const status = async (path: string): Promise<number> => (await form(all, path, headers)).status;
    expect([
      await status('/open'),
      await status('/session'),
      await status('/network'),
      await status('/cookie'),
    ]).to.deep.equal([200, 403, 403, 403]);
    expect((await form(all, '/cookie', { cookie: SECRET })).status).to.equal(200);
    const page = await connect(all.url, { headers });
    expect((await page.sendRequest('session')).error).to.include({ code: 'REQ_CROSS_SITE', status: 403 });
    expect((await page.sendRequest('open')).data).to.deep.equal({ done: true });
    await page.close();
    const program = await connect(all.url, { headers: { cookie: 'a=1' } });
    expect((await program.sendRequest('session')).data).to.deep.equal({ by: 'a=1' });
    await program.close();
  });

  it('checks a handshake by the same rule', async () => {
    for (const headers of [{ origin: EVIL }, { 'sec-fetch-site': 'cross-site' }])
      expect((await expectRejectedUpgrade(kernel.url, { headers })).body).to.include({
        code: 'WS_ORIGIN',
        status: 403,
      });
    for (const headers of [{}, { origin: APP }]) await (await connect(kernel.url, { headers })).close();
  });
});

describe('host names of a server', () => {
  const kernels: TestKernel[] = [];
  const started = async (http: object, more: TestKernelOptions = {}): Promise<TestKernel> => {
    const kernel = await startKernel({
      files: FILES,
      env: ENV,
      config: { websocket: { enabled: true }, http },
      ...more,
    });
    kernels.push(kernel);
    return kernel;
  };
  after(() => Promise.all(kernels.map((kernel) => kernel.close())));

  const answer = async (kernel: TestKernel, host: string, method = 'POST', path = '/open', more: object = {}) => {
    const { status, body } = parseRaw(
      await kernel.raw(formatRequestHead(method, path, { connection: 'close', host, ...more })),
    );
    return `${status} ${status === 421 ? String((JSON.parse(body) as { code: string }).code) : ''}`.trim();
  };
  const LOCAL = [
    'localhost',
    'LOCALHOST:8080',
    'api.localhost:80',
    'localhost.',
    '127.0.0.1',
    '10.1.2.3:8080',
    '[::1]',
    '[fd00::1]:8080',
  ];
  const STRANGE = [
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'xlocalhost',
    '',
  ];

  it('are addresses and `localhost` for `dev`, and for `serve` on this machine only', async () => {
    for (const more of [{}, { dev: true, pages: [] }]) {
      const kernel = await started({ host: '127.0.0.1' }, more);
      for (const host of LOCAL) expect(await answer(kernel, host), host).to.equal('200');
      for (const host of STRANGE) expect(await answer(kernel, host), host).to.equal('421 REQ_HOST');
      for (const path of ['/status', '/nowhere', '/ws'])
        expect(await answer(kernel, 'evil.example', 'GET', path), path).to.equal('421 REQ_HOST');
      const upgrade = { ...UPGRADE, connection: 'Upgrade, close', origin: 'http://evil.example' };
      expect(await answer(kernel, 'evil.example', 'GET', '/ws', upgrade)).to.equal('421 REQ_HOST');
      const text = await kernel.raw(formatRequestHead('POST', '/open', { connection: 'close', host: 'evil.example' }));
      expect(text).to.contain('`http.hosts`').and.contain('ALLOWED_HOSTS');
    }
  });

  it('are extended by the config, or the variable; `*` is all', async () => {
    const hosts = ['api.example.com', '*.preview.example.com'];
    const asked = ['api.example.com:443', 'API.EXAMPLE.COM', 'a.preview.example.com', ...LOCAL];
    for (const kernel of [
      await started({ hosts, trusted_proxies: 1 }),
      await started({}, { env: { ...ENV, ALLOWED_HOSTS: hosts.join('|') }, dev: true }),
    ]) {
      for (const host of asked) expect(await answer(kernel, host), host).to.equal('200');
      for (const host of [...STRANGE, 'preview.example.com', 'xapi.example.com'])
        expect(await answer(kernel, host), host).to.equal('421 REQ_HOST');
    }
    expect(await answer(await started({ hosts: ['*'] }, { dev: true }), 'evil.example')).to.equal('200');
    const wrong = await started({}, { env: { ...ENV, ALLOWED_HOSTS: 'https://api.example.com' } }).catch(
      (error: unknown) => error,
    );
    expect(wrong).to.include({ code: 'CFG_VARIABLE' });
  });

  it('are unrestricted for commands other than `dev` behind a proxy', async () => {
    expect(await answer(await started({ trusted_proxies: 1 }), 'api.example.com')).to.equal('200');
    expect(await answer(await started({ trusted_proxies: 1 }, { dev: true }), 'api.example.com')).to.equal(
      '421 REQ_HOST',
    );
  });
});
