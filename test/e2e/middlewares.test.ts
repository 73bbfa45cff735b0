/** Koa middlewares of packages in front of the kernel, over real HTTP: each sees the responses of the kernel and may change them. */
import { expect } from 'chai';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { BootError } from '../../contract/boot-error.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { ROOT } from '../support/project.js';

const LONG = 'a long text that compresses well. '.repeat(100);
const FILES = {
  'definitions/texts.json': {
    id: 'texts',
    resource: 'texts',
    actionables: [
      {
        id: 1,
        mode: 'RETURN',
        payload_validation: [{ field: { text: { type: 'STRING' } } }],
        value: '$PAYLOAD.text',
      },
    ],
  },
  'tag.cjs': `module.exports = (name) => async (ctx, next) => {
    ctx.set('x-order', [ctx.response.get('x-order'), name].filter(Boolean).join(','));
    await next();
    ctx.set('x-seen', [ctx.response.get('x-seen'), name + ctx.status + typeof ctx.body].filter(Boolean).join(','));
  };
  module.exports.deny = () => (ctx, next) => {
    if (ctx.path === '/denied') ctx.throw(403, 'Closed on Sundays', { headers: { 'x-reason': 'sunday' } });
    if (ctx.path === '/broken') throw new Error('secret of the middleware');
    return next();
  };
  module.exports.no = 1;
  module.exports.nothing = () => undefined;`,
};

const koa = (name: string, ...rest: readonly unknown[]) => ({ use: 'koa', package: name, arguments: rest });
const named = (name: string) => ({ use: 'koa', package: './tag.cjs', export: name });

describe('Koa middlewares', () => {
  const kernels: TestKernel[] = [];
  after(() => Promise.all(kernels.map((kernel) => kernel.close())));
  const start = async (middlewares: Readonly<Record<string, unknown>>, config: object = {}): Promise<TestKernel> => {
    const kernel = await startKernel({
      files: FILES,
      config: { middlewares, http: { methods: ['GET', 'POST'], ...config } },
      prepare: (folder) => symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules')),
    });
    kernels.push(kernel);
    return kernel;
  };
  const failure = (middlewares: Readonly<Record<string, unknown>>) =>
    start(middlewares).then(
      () => expect.fail('started'),
      (error: unknown) => error as BootError,
    );

  it('koa-helmet sets security headers on responses and errors, and its values replace the defaults', async () => {
    const kernel = await start({
      security: koa('koa-helmet', { contentSecurityPolicy: { directives: { defaultSrc: ["'self'"] } } }),
    });
    for (const [text, status] of [
      ['a', 200],
      [1, 422],
    ] as const) {
      const { headers, ...answer } = await kernel.post('/texts', { text });
      expect(answer.status).to.equal(status);
      expect(headers.get('strict-transport-security')).to.contain('max-age');
      expect(headers.get('content-security-policy')).to.contain("default-src 'self'");
      expect(headers.get('x-request-id')).to.match(/^[\da-f-]{36}$/);
      expect(headers.get('content-type')).to.contain('json');
    }
  });

  it('koa-compress compresses responses, errors and streams, and preserves `vary` of the kernel', async () => {
    const kernel = await start(
      { compress: koa('koa-compress', { threshold: 200 }) },
      { allowed_origins: ['https://a.example'] },
    );
    const headers = { 'accept-encoding': 'gzip', 'content-type': 'application/json' };
    const answer = await fetch(`${kernel.url}/texts`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ text: LONG }),
    });
    expect(answer.headers.get('content-encoding')).to.equal('gzip');
    expect(answer.headers.get('vary')?.toLowerCase().split(', ').sort()).to.deep.equal(['accept-encoding', 'origin']);
    expect(await answer.json()).to.equal(LONG);
    const missing = await fetch(`${kernel.url}/missing`, { headers });
    expect([missing.status, missing.headers.get('content-encoding')]).to.deep.equal([404, 'gzip']);
    expect(await missing.json()).to.include({ code: 'REQ_NOT_FOUND' });
    const short = await fetch(`${kernel.url}/texts`, { method: 'POST', headers, body: '{"text":"a"}' });
    expect(short.headers.get('content-encoding')).to.equal(null);
  });

  it('koa-etag and koa-conditional-get return 304 without a body', async () => {
    const kernel = await start({ fresh: koa('koa-conditional-get'), etag: koa('koa-etag') });
    const first = await kernel.request('GET', '/texts?text=a');
    const etag = first.headers.get('etag') ?? expect.fail('no etag');
    const again = await kernel.request('GET', '/texts?text=a', { headers: { 'if-none-match': etag } });
    expect([again.status, again.text]).to.deep.equal([304, '']);
    const other = await kernel.request('GET', '/texts?text=b', { headers: { 'if-none-match': etag } });
    expect([other.status, other.body]).to.deep.equal([200, 'b']);
  });

  it('koa-static serves files, and the kernel everything else', async () => {
    const kernel = await start({ files: { ...koa('koa-static'), arguments: [] } }).catch((error: BootError) => error);
    expect(kernel).to.be.instanceOf(BootError);
    const folder = join(ROOT, 'test', 'fixtures', 'static');
    const served = await start({ files: koa('koa-static', folder) });
    const page = await served.request<string>('GET', '/index.html');
    expect([page.status, page.headers.get('content-type'), page.text]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
      '<h1>Static</h1>\n',
    ]);
    expect((await served.post('/texts', { text: 'a' })).body).to.equal('a');
    const outside = await served.raw('GET /../package.json HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    expect(outside).to.match(/^HTTP\/1.1 40[34]/);
  });

  it('run in the order of the config and receive status and body', async () => {
    const kernel = await start({ outer: koa('./tag.cjs', 'a'), inner: koa('./tag.cjs', 'b') });
    const { headers } = await kernel.post('/texts', { text: 'a' });
    expect([headers.get('x-order'), headers.get('x-seen')]).to.deep.equal(['a,b', 'b200string,a200string']);
    expect((await kernel.post('/texts', { text: 1 })).headers.get('x-seen')).to.equal('b422string,a422string');
    const head = await kernel.request('HEAD', '/texts?text=abc');
    expect([head.status, head.headers.get('content-length'), head.text]).to.deep.equal([200, '5', '']);
  });

  it('respond according to `ctx.throw`, and with 500 without details for any other error', async () => {
    const kernel = await start({ outer: koa('./tag.cjs', 'a'), deny: named('deny') });
    const denied = await kernel.request('GET', '/denied');
    expect(denied.body).to.include({ status: 403, code: 'REQ_REJECTED', detail: 'Closed on Sundays' });
    expect([denied.status, denied.headers.get('x-reason'), denied.headers.get('x-seen')]).to.deep.equal([
      403,
      'sunday',
      'a403string',
    ]);
    const broken = await kernel.request('GET', '/broken');
    expect([broken.status, broken.body['code'], broken.text.includes('secret')]).to.deep.equal([
      500,
      'INT_UNEXPECTED',
      false,
    ]);
    expect(kernel.log.some(({ level, message }) => level === 'error' && message === 'request failed')).to.equal(true);
  });

  it('prevent the start if they cannot be loaded', async () => {
    expect(await failure({ one: koa('koa-no-such-package') })).to.include({ code: 'PLG_OPEN' });
    expect(await failure({ one: named('missing') })).to.include({ code: 'PLG_OPEN' });
    expect(await failure({ one: named('no') })).to.include({ code: 'PLG_OPEN' });
    expect(await failure({ one: named('nothing') })).to.include({ code: 'PLG_OPEN' });
  });
});
