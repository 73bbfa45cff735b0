/**
 * The checked address is the one that is connected: names are resolved here through a resolver that changes its result,
 * and every forbidden server counts its connections. Also the addresses of a whole URL from a request.
 */
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { OUTBOUND, type Outbound } from '../../contract/outbound.js';
import type { Log } from '../../contract/plugin.js';
import { Fault } from '../../contract/fault.js';
import { createClient, type HttpCall, type HttpClient } from '../../plugins/modes/http-request/client.js';
import type { Resolve } from '../../plugins/modes/http-request/dial.js';
import { makeCertificate } from '../../cli/test/certificate.js';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createJsonBehaviour, startUpstream, type Upstream } from '../support/upstream.js';
import { startStopwatch } from '../support/stopwatch.js';

const ignore = (): void => {};
const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

const callTo = (url: string, rest: Partial<HttpCall> = {}): HttpCall => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  body: undefined,
  patience: 2000,
  accepts: new Set(),
  retries: 0,
  redirects: 0,
  dynamic: false,
  place: 'test#1',
  ...rest,
});

/** Returns one list of addresses after the other, then the last one repeatedly; counts its calls. */
function resolver(...lists: readonly (readonly string[])[]): { resolve: Resolve; asked: () => number } {
  let asked = 0;
  const resolve: Resolve = (_host, _options, done) => {
    const list = lists[Math.min(asked++, lists.length - 1)] ?? [];
    process.nextTick(() =>
      done(
        null,
        list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      ),
    );
  };
  return { resolve, asked: () => asked };
}

const catchCode = async (work: Promise<unknown>): Promise<string> => {
  const outcome = await work.then(
    () => 'answered',
    (error: unknown) => (error instanceof Fault ? error.code : String(error)),
  );
  return outcome;
};

describe('addresses that calls connect to', () => {
  let open!: Upstream;
  let trap!: Upstream;
  const clients: HttpClient[] = [];
  const client = (outbound: Partial<Outbound>, resolve?: Resolve, ca?: readonly string[]): HttpClient => {
    const made = createClient({ outbound: { ...OUTBOUND, ...outbound }, log, resolve, ca });
    clients.push(made);
    return made;
  };

  before(async () => {
    // Both on one port, so that only the address distinguishes them.
    open = await startUpstream(createJsonBehaviour({ open: true }), { host: '127.0.0.2' });
    trap = await startUpstream(createJsonBehaviour({ trap: true }), { host: '127.0.0.3', port: open.port });
  });
  afterEach(() => {
    expect(trap.countOpened(), 'a connection was opened that must not be').to.equal(0);
    for (const made of clients.splice(0)) made.close();
  });
  after(() => Promise.all([open.close(), trap.close()]));

  const allow = ['127.0.0.2'];
  const url = (): string => `http://name.example:${open.port}/`;

  it('are resolved once for each connection, and the checked address is used', async () => {
    const { resolve, asked } = resolver(['127.0.0.2'], ['127.0.0.3']);
    const { call } = client({ allow }, resolve);
    expect((await call(callTo(url()))).body.toString()).to.equal('{"open":true}');
    expect(asked()).to.equal(1);
  });

  it('are checked again for a new connection', async () => {
    const { resolve, asked } = resolver(['127.0.0.2'], ['127.0.0.3']);
    const { call } = client({ allow }, resolve);
    const headers = { 'x-test': '1' };
    expect(await catchCode(call(callTo(url(), { headers })))).to.equal('answered');
    await open.close();
    open = await startUpstream(createJsonBehaviour({ open: true }), { host: '127.0.0.2', port: trap.port });
    expect(await catchCode(call(callTo(url())))).to.be.oneOf(['OUT_REFUSED', 'OUT_FAILED']);
    expect(await catchCode(call(callTo(url())))).to.equal('OUT_REFUSED');
    expect(asked()).to.be.at.least(2);
  });

  it('are rejected if a name leads to allowed and forbidden ones', async () => {
    const { resolve } = resolver(['127.0.0.2', '127.0.0.3']);
    expect(await catchCode(client({ allow }, resolve).call(callTo(url())))).to.equal('OUT_REFUSED');
    const { resolve: other } = resolver(['127.0.0.3', '127.0.0.2']);
    expect(await catchCode(client({ allow }, other).call(callTo(url())))).to.equal('OUT_REFUSED');
  });

  it('are checked for every attempt and every hop', async () => {
    const { resolve } = resolver(['127.0.0.3']);
    const { call } = client({ allow }, resolve);
    expect(await catchCode(call(callTo(url(), { retries: 3 })))).to.equal('OUT_REFUSED');
    expect(await catchCode(call(callTo(`http://127.0.0.3:${trap.port}/`, { redirects: 3 })))).to.equal('OUT_REFUSED');
    expect(await catchCode(call(callTo(`http://[::ffff:127.0.0.3]:${trap.port}/`)))).to.equal('OUT_REFUSED');
  });

  it('are rejected if a name has none', async () => {
    const { resolve } = resolver([]);
    expect(await catchCode(client({ allow }, resolve).call(callTo(url())))).to.equal('OUT_FAILED');
  });

  it('that the config allows, and connections to them, are not used by a URL of a request', async () => {
    const { resolve } = resolver(['127.0.0.2']);
    const { call } = client({ allow: ['127.0.0.2', 'name.example'] }, resolve);
    expect(await catchCode(call(callTo(url())))).to.equal('answered');
    const before = open.requests.length;
    expect(await catchCode(call(callTo(url(), { dynamic: true })))).to.equal('OUT_REFUSED');
    expect(await catchCode(call(callTo(`http://127.0.0.2:${open.port}/`, { dynamic: true })))).to.equal('OUT_REFUSED');
    expect(open.requests.length).to.equal(before);
  });

  it('have their connections closed at the end', async () => {
    const { call, close } = client({ allow }, resolver(['127.0.0.2']).resolve);
    await call(callTo(url()));
    expect(open.countOpen()).to.be.at.least(1);
    close();
    for (let i = 0; i < 200 && open.countOpen() > 0; i++) await new Promise((done) => setImmediate(done));
    expect(open.countOpen()).to.equal(0);
  });

  it('have their connection aborted if it is not established', async () => {
    // Accepts, and never sends a byte of TLS.
    const quick = client({ allow, timeouts: { connect: 0.1, total: 5, most: 5 } });
    const { createServer } = await import('node:net');
    // A connection without a reader does not notice that it was aborted.
    const held: Socket[] = [];
    const mute = createServer((socket) => held.push(socket)).listen(0, '127.0.0.2');
    await new Promise((done) => mute.once('listening', done));
    const { port } = mute.address() as { port: number };
    const elapsed = startStopwatch();
    expect(await catchCode(quick.call(callTo(`https://127.0.0.2:${port}/`)))).to.equal('OUT_TIMEOUT');
    expect(elapsed()).to.be.lessThan(1500);
    for (const socket of held) socket.destroy();
    mute.close();
  });

  describe('over TLS', () => {
    const tls = makeCertificate(['api.example.com']);
    let secure!: Upstream;
    before(async () => {
      secure = await startUpstream(createJsonBehaviour({ secure: true }), { tls, host: '127.0.0.2' });
    });
    after(() => secure.close());
    const connect_to = (name: string) => ({ [`${name}:443`]: `127.0.0.2:${secure.port}` });

    it('are trusted by the authorities of the config, for the called name', async () => {
      const { call } = client({ connect_to: connect_to('api.example.com') }, undefined, [tls.cert]);
      expect(await catchCode(call(callTo('https://api.example.com/x')))).to.equal('answered');
    });

    it('are rejected with an untrusted certificate, and one for another name', async () => {
      const strict = client({ connect_to: connect_to('api.example.com') });
      expect(await catchCode(strict.call(callTo('https://api.example.com/')))).to.equal('OUT_FAILED');
      const other = client({ connect_to: connect_to('other.example.com') }, undefined, [tls.cert]);
      expect(await catchCode(other.call(callTo('https://other.example.com/')))).to.equal('OUT_FAILED');
      expect(secure.requests.filter(({ url: asked }) => asked === '/')).to.deep.equal([]);
    });
  });

  describe('in definitions', () => {
    let kernel!: TestKernel;
    const defineCall = (id: string, http: Loose): Loose => ({
      id,
      resource: id,
      actionables: [{ id: 1, mode: 'HTTPREQUEST', http }],
    });
    before(async function () {
      kernel = await startKernel({
        files: {
          'definitions/a.json': [
            defineCall('any', { url: '$PAYLOAD.url', query: { more: '$PAYLOAD.more' } }),
            defineCall('env', { url: '$ENV.SOMEWHERE/x' }),
            defineCall('allowed', { url: '$ENV.ALLOWED/x' }),
          ],
        },
        config: { outbound: { dynamic_hosts: true, allow } },
        env: { SOMEWHERE: `http://127.0.0.3:${trap.port}`, ALLOWED: `http://127.0.0.2:${open.port}` },
      });
    });
    after(() => kernel.close());

    it('return 422 for forbidden addresses, without the reason', async () => {
      for (const wanted of [
        `http://127.0.0.2:${open.port}/`,
        `http://127.0.0.3:${trap.port}/`,
        `http://2130706435:${trap.port}/`,
        `http://localhost:${trap.port}/`,
        'http://169.254.169.254/latest/meta-data/',
        'http://[::1]/',
      ]) {
        const { status, body } = await kernel.post('/any', { url: wanted, more: null });
        expect(status, wanted).to.equal(422);
        expect(body, wanted).to.include({ code: 'OUT_REFUSED', detail: 'The address of this call is not allowed.' });
        expect(body).not.to.have.property('errors');
      }
    });

    it('reject a value that is not a URL, naming the field', async () => {
      for (const wanted of ['', 'name', 'ftp://a.example', 'file:///etc/passwd', 'http://u:p@a.example', 5, null, {}]) {
        const { status, body } = await kernel.post('/any', { url: wanted, more: 1 });
        expect(status, JSON.stringify(wanted)).to.equal(422);
        expect(body['code'], JSON.stringify(wanted)).to.equal('OUT_VALUE');
        expect(body).to.have.nested.property('errors[0].pointer', '/url');
      }
    });

    it('return 502 if a variable contains a forbidden address', async () => {
      const { status, body } = await kernel.post('/env', {});
      expect(status).to.equal(502);
      expect(body['code']).to.equal('OUT_REFUSED');
      const [warned, row] = kernel.log.filter(({ fields }) => fields['action'] === 'env#1');
      expect(warned?.message).to.equal('HTTP calls to this host will be rejected');
      expect(warned?.fields).to.include({ host: '127.0.0.3', reason: 'loopback' });
      expect(row?.fields).to.include({ code: 'OUT_REFUSED', reason: 'loopback', host: `127.0.0.3:${trap.port}` });
    });

    it('cause no warning if the address is allowed', async () => {
      expect((await kernel.post('/allowed', {})).status).to.equal(200);
      expect(kernel.log.filter(({ fields }) => fields['action'] === 'allowed#1')).to.deep.equal([]);
    });
  });
});
