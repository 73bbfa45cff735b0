/** Connecting: settings, the handshake, pages and uids. Tokens have a separate suite. */
import { expect } from 'chai';
import { formatRequestHead, parseRaw } from '../support/client.js';
import type { TestKernel } from '../support/kernel.js';
import { defineReturnResource } from '../support/project.js';
import { serveInProcess, waitUntilReady } from '../support/serve.js';
import { connect, createSocketFixture, expectRejectedUpgrade, UPGRADE } from '../support/sockets.js';

const OPEN = { 'definitions/a.json': [defineReturnResource('open', { ok: true })] };

describe('socket connections', () => {
  const { start, open, farewell } = createSocketFixture(OPEN);

  describe('settings', () => {
    it('is off by default, and then `/ws` is not served', async () => {
      const kernel = await start({ config: { websocket: {} } });
      expect(await expectRejectedUpgrade(kernel.url)).to.deep.include({ status: 404 });
      expect((await expectRejectedUpgrade(kernel.url)).body).to.include({ code: 'REQ_NOT_FOUND' });
    });

    it('is enabled, moved and restricted by the environment', async () => {
      const env = {
        ALLOW_WEBSOCKET_CONNECTIONS: 'true',
        WEBSOCKET_ENDPOINT: '/live/now',
        FORCE_WEBSOCKET_WITH_UID: 'TRUE',
      };
      const kernel = await start({ env, config: { websocket: { enabled: false, path: '/other' } } });
      const client = await open(kernel.url, { path: '/live/now', query: '?uid=a' });
      expect((await client.sendRequest('open')).data).to.deep.equal({ ok: true });
      expect(await farewell(kernel.url, { path: '/live/now' })).to.include({ code: 'WS_UID', closed: 4400 });
      expect(await expectRejectedUpgrade(kernel.url, { path: '/other' })).to.include({ status: 404 });
      const off = await start({ env: { ALLOW_WEBSOCKET_CONNECTIONS: 'false' } });
      expect(await expectRejectedUpgrade(off.url)).to.include({ status: 404 });
    });

    it('does not start with an invalid variable', async () => {
      for (const [name, value] of [
        ['ALLOW_WEBSOCKET_CONNECTIONS', 'yes'],
        ['FORCE_WEBSOCKET_WITH_UID', '1'],
        ['WEBSOCKET_ENDPOINT', 'ws'],
      ] as const) {
        const failure = await start({ env: { [name]: value } }).catch((error: unknown) => error);
        expect(failure, name).to.include({ code: 'CFG_VARIABLE' });
      }
    });

    it('does not start when a resource has its path, and keeps it when a reload would use it', async () => {
      for (const taken of [defineReturnResource('ws', 1), { ...defineReturnResource('x', 1), resource: 'ws' }]) {
        const failure = await start({ files: { 'definitions/a.json': taken } }).catch((error: unknown) => error);
        expect(failure).to.include({ code: 'KRN_ROUTE' });
      }
      expect(await start({}, { path: '/status' }).catch((error: unknown) => error)).to.include({ code: 'KRN_ROUTE' });
      const observers = { figures: { use: 'prometheus' } };
      expect(
        await start({ config: { observers, websocket: { enabled: true, path: '/metrics' } } }).catch(
          (error: unknown) => error,
        ),
      ).to.include({ code: 'KRN_ROUTE' });
      const kernel = await start();
      await kernel.project.write('definitions/b.json', defineReturnResource('ws', 1));
      expect((await kernel.kernel.reload()).applied).to.equal(false);
      expect((await (await open(kernel.url)).sendRequest('open')).data).to.deep.equal({ ok: true });
    });

    it('takes precedence over a path with parameters, for this path only', async () => {
      const kernel = await start({
        files: { 'definitions/a.json': { ...defineReturnResource('any', '$PAYLOAD.name'), resource: ':name' } },
      });
      expect((await (await open(kernel.url)).sendRequest('other')).data).to.equal('other');
      expect((await kernel.post<unknown>('/other', {})).body).to.equal('other');
      expect((await kernel.post('/ws', {})).body).to.include({ code: 'REQ_METHOD' });
    });
  });

  describe('handshake', () => {
    it('is required of every client at the address', async () => {
      const kernel = await start();
      const { status, headers, body } = await kernel.request('GET', '/ws');
      expect([status, headers.get('upgrade'), body['code']]).to.deep.equal([426, 'websocket', 'WS_UPGRADE']);
      expect((await kernel.post('/ws', {})).status).to.equal(405);
    });

    it('is rejected with an HTTP response when it is invalid', async () => {
      const kernel = await start();
      const asked: readonly (readonly [Readonly<Record<string, string | number>>, number, string])[] = [
        [{ ...UPGRADE, 'sec-websocket-version': 8 }, 400, 'WS_HANDSHAKE'],
        [{ ...UPGRADE, 'sec-websocket-key': 'short' }, 400, 'WS_HANDSHAKE'],
        [{ ...UPGRADE, 'sec-websocket-protocol': 'a,,b' }, 400, 'WS_HANDSHAKE'],
        [{ ...UPGRADE, 'sec-websocket-protocol': 'a, a' }, 400, 'WS_HANDSHAKE'],
        [{ ...UPGRADE, 'sec-websocket-protocol': 'authorization' }, 400, 'WS_HANDSHAKE'],
        [{ ...UPGRADE, 'sec-websocket-protocol': 'a.b.c, authorization' }, 400, 'WS_HANDSHAKE'],
        [{ ...UPGRADE, upgrade: 'h2c' }, 426, 'WS_UPGRADE'],
      ];
      for (const [headers, status, code] of asked) {
        const answer = parseRaw(
          await kernel.raw(formatRequestHead('GET', '/ws', { ...headers, connection: 'Upgrade, close' })),
        );
        expect(
          [answer.status, (JSON.parse(answer.body) as { code: string }).code],
          JSON.stringify(headers),
        ).to.deep.equal([status, code]);
      }
    });

    it('does not handle other upgrade requests', async () => {
      const kernel = await start({ config: { websocket: { enabled: true }, http: { methods: ['POST', 'GET'] } } });
      const body = '{"a":1}';
      const upgrade = {
        connection: 'Upgrade, HTTP2-Settings, close',
        upgrade: 'h2c',
        'http2-settings': 'AAMAAABkAAQAAP__',
      };
      const json = { 'content-type': 'application/json', 'content-length': body.length };
      const posted = parseRaw(await kernel.raw(formatRequestHead('POST', '/open', { ...upgrade, ...json }) + body));
      expect([posted.status, posted.body]).to.deep.equal([200, '{"ok":true}']);
      expect(parseRaw(await kernel.raw(formatRequestHead('GET', '/open', upgrade))).status).to.equal(200);
      // Also WebSocket at another address.
      expect(
        parseRaw(await kernel.raw(formatRequestHead('GET', '/open', { ...UPGRADE, connection: 'Upgrade, close' })))
          .status,
      ).to.equal(200);
      const { status } = parseRaw(await kernel.raw(formatRequestHead('CONNECT', 'example.com:80', {})).catch(() => ''));
      expect(status).not.to.equal(200);
      expect((await kernel.post('/open', {})).status).to.equal(200);
    });

    it('is limited like other requests', async () => {
      const kernel = await start();
      const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x-${n}`, 'v']));
      expect(parseRaw(await kernel.raw(formatRequestHead('GET', '/ws', { ...UPGRADE, ...many }))).status).to.equal(431);
      const long = `/ws?uid=${'a'.repeat(9000)}`;
      const answer = parseRaw(
        await kernel.raw(formatRequestHead('GET', long, { ...UPGRADE, connection: 'Upgrade, close' })),
      );
      expect(answer.status).to.equal(414);
    });

    it('accepts connections up to the limit, until one is closed', async () => {
      const kernel = await start({}, { limits: { connections: 2 } });
      const [first] = [await open(kernel.url), await open(kernel.url)];
      const { status, body } = await expectRejectedUpgrade(kernel.url);
      expect([status, body['code']]).to.deep.equal([503, 'WS_FULL']);
      await first?.close();
      expect((await (await open(kernel.url)).sendRequest('open')).data).to.deep.equal({ ok: true });
    });

    it('limits connections of one network, whatever headers it sends to the proxy, and accepts those of others', async () => {
      const kernel = await start(
        { config: { http: { trusted_proxies: 1 } } },
        { enabled: true, limits: { per_address: 2 } },
      );
      const createForwardedOptions = (address: string) => ({ headers: { 'x-forwarded-for': `10.9.9.9, ${address}` } });
      const [first] = [
        await open(kernel.url, createForwardedOptions('2001:db8::1')),
        await open(kernel.url, createForwardedOptions('2001:db8::2')),
      ];
      const { status, body } = await expectRejectedUpgrade(kernel.url, createForwardedOptions('2001:db8::3'));
      expect([status, body['code']]).to.deep.equal([429, 'WS_ADDRESS_FULL']);
      await open(kernel.url, createForwardedOptions('2001:db8:0:1::1'));
      await open(kernel.url, createForwardedOptions('10.0.0.1'));
      await first?.close();
      await open(kernel.url, createForwardedOptions('2001:db8::3'));
    });
  });

  describe('pages', () => {
    const upgrade = async (kernel: TestKernel, origin: string, host = 'test'): Promise<number> =>
      (await expectRejectedUpgrade(kernel.url, { headers: { origin, host } }).catch(() => ({ status: 101 }))).status;

    it('connect from their own origin, and from those of the config', async () => {
      const kernel = await start({
        env: { ALLOWED_ORIGINS: 'https://app.example.com|http://b.example.com:8080', ALLOWED_HOSTS: 'test' },
      });
      for (const origin of ['https://app.example.com', 'http://b.example.com:8080', 'https://test', 'http://test'])
        expect(await upgrade(kernel, origin), origin).to.equal(101);
      expect(await upgrade(kernel, 'https://test:8443', 'test:8443')).to.equal(101);
      expect(await upgrade(kernel, 'https://test', 'test:443')).to.equal(101);
      for (const origin of [
        'https://evil.example',
        'http://app.example.com',
        'https://test.evil.example',
        'null',
        'file://',
        'https://test:8443',
      ])
        expect(await upgrade(kernel, origin), origin).to.equal(403);
      const { body } = await expectRejectedUpgrade(kernel.url, { origin: 'https://evil.example' });
      expect(body).to.include({ code: 'WS_ORIGIN', status: 403 });
      // A client that sends two has at most one valid one.
      const both = {
        ...UPGRADE,
        connection: 'Upgrade, close',
        origin: 'https://app.example.com',
        Origin: 'https://b.example',
      };
      expect(parseRaw(await kernel.raw(formatRequestHead('GET', '/ws', both))).status).to.equal(403);
    });

    it('connect from anywhere when all origins are allowed', async () => {
      const kernel = await start({ env: { ALLOWED_ORIGINS: '*', ALLOWED_HOSTS: 'test' } });
      expect(await upgrade(kernel, 'https://evil.example')).to.equal(101);
    });
  });

  describe('uids', () => {
    it('have 1 to 256 characters, no control character, and occur once', async () => {
      const kernel = await start();
      for (const query of ['?uid=', `?uid=${'a'.repeat(257)}`, '?uid=a%00b', '?uid=a%0Ab', '?uid=a&uid=b'])
        expect(await farewell(kernel.url, { query }), query).to.deep.equal({
          action: 'connect',
          code: 'WS_UID',
          status: 400,
          closed: 4400,
        });
      for (const uid of ['a', 'a'.repeat(256), 'ада 🙂']) {
        const client = await open(kernel.url, { query: `?uid=${encodeURIComponent(uid)}` });
        expect((await client.sendRequest('open')).uid).to.equal(uid);
      }
    });

    it('can be required', async () => {
      const kernel = await start({}, { force_uid: true });
      expect(await farewell(kernel.url, {})).to.include({ code: 'WS_UID', closed: 4400 });
      expect((await (await open(kernel.url, { query: '?uid=a' })).sendRequest('open')).data).to.deep.equal({
        ok: true,
      });
    });
  });
});

describe('address of connections', function () {
  const { start } = serveInProcess();
  it('is printed by the start', async () => {
    const child = await start(OPEN, { env: { ALLOW_WEBSOCKET_CONNECTIONS: 'true', WEBSOCKET_ENDPOINT: '/live' } });
    const { url } = await waitUntilReady(child);
    await child.waitForOutput(new RegExp(`clients connect at ${url.replace('http', 'ws')}/live\\n`));
    const client = await connect(url, { path: '/live' });
    expect((await client.sendRequest('open')).data).to.deep.equal({ ok: true });
    const { code } = await Promise.all([client.closed, child.stop('SIGTERM')]).then(([closed]) => closed);
    expect(code).to.equal(1001);
  });
});
