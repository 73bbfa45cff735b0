/**
 * Calls to another service without definitions: which answers are failures, which are sent again and after what pause, which
 * redirects are followed, and how much is read. Pauses pass at once, on a clock of their own.
 */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { OUTBOUND, type Outbound } from '../../../contract/outbound.js';
import {
  createClient,
  type HttpReply,
  type HttpCall,
  type HttpClient,
} from '../../../plugins/modes/http-request/client.js';
import { startUpstream, type Behaviour, type Upstream } from '../../support/upstream.js';

describe('a call to another service', () => {
  const CAP = 1000;
  const real = { set: globalThis.setTimeout, clear: globalThis.clearTimeout, random: Math.random };
  const { now: realNow } = performance as { now: (this: typeof performance) => number };
  let upstream!: Upstream;
  let client!: HttpClient;
  let behave: Behaviour = (_req, res) => void res.end();
  let logged: unknown[] = [];
  let pauses: number[] = [];
  let now = 0;
  let end = 0;

  const outbound = (): Outbound => ({
    ...OUTBOUND,
    allow: [`127.0.0.1:${upstream.port}`],
    limits: { ...OUTBOUND.limits, reply: CAP },
  });
  before(async () => {
    upstream = await startUpstream((...asked) => behave(...asked));
  });
  after(() => upstream.close());

  beforeEach(() => {
    [logged, pauses, now] = [[], [], 0];
    upstream.requests.length = 0;
    const warn = (fields: object): void => void logged.push(fields);
    client = createClient({ outbound: outbound(), log: { warn } as never });
    performance.now = () => now;
    Math.random = () => 0;
    // What is longer, or ends with the call, is a deadline: these never come.
    const set = (work: () => void, milliseconds: number): unknown => {
      if (milliseconds >= 100 && milliseconds <= 2500 && milliseconds !== end - now) {
        pauses.push(milliseconds);
        now += milliseconds;
        setImmediate(work);
      }
      return null;
    };
    Object.assign(globalThis, { setTimeout: set, clearTimeout: () => undefined });
  });
  afterEach(() => {
    client.close();
    Object.assign(globalThis, { setTimeout: real.set, clearTimeout: real.clear });
    Math.random = real.random;
    performance.now = realNow;
  });

  const call = (path = '/', rest: Partial<HttpCall> = {}): Promise<HttpReply> => {
    end = now + (rest.patience ?? 60_000);
    return client.call({
      ...{ method: 'GET', url: new URL(path, upstream.url), headers: {}, body: undefined, patience: 60_000 },
      ...{ accepts: new Set<number>(), retries: 0, redirects: 0, dynamic: false, place: 'notes#1' },
      ...rest,
    });
  };
  const failure = async (path?: string, rest?: Partial<HttpCall>): Promise<Fault> => {
    const outcome: unknown = await call(path, rest).catch((error: unknown) => error);
    expect(outcome).to.be.instanceOf(Fault);
    return outcome as Fault;
  };
  const answers = (status: number, headers: Record<string, string> = {}, body = ''): void => {
    behave = (_req, res) => void res.writeHead(status, headers).end(body);
  };
  const listSent = (): string[] => upstream.requests.map(({ method, url, body }) => `${method} ${url} ${body}`.trim());

  it('returns the response for every success and each accepted status', async () => {
    for (const status of [200, 201, 202, 299]) {
      answers(status, { 'content-type': 'text/plain' }, 'text');
      const { body, ...rest } = await call();
      expect([rest.status, rest.type, body.toString()]).to.deep.equal([status, 'text/plain', 'text']);
    }
    answers(404, {}, 'none');
    const accepted = await call('/', { accepts: new Set([404, 409]) });
    expect([accepted.status, accepted.type, accepted.body.toString()]).to.deep.equal([404, undefined, 'none']);
    expect(logged).to.deep.equal([]);
  });

  it('fails with any other status, and is sent again where that may help', async () => {
    const again: number[] = [];
    for (const status of [300, 304, 400, 404, 408, 428, 429, 430, 500, 501, 502, 503, 504, 505]) {
      upstream.requests.length = 0;
      answers(status);
      const { code, params, options } = await failure('/', { retries: 1 });
      expect([code, params['status'], options.issues?.[0]?.detail]).to.deep.equal(['OUT_STATUS', status, `${status}`]);
      if (upstream.requests.length === 2) again.push(status);
    }
    expect(again).to.deep.equal([429, 502, 503, 504]);
  });

  it('is sent again after pauses that double, up to two seconds, as often as it is reported', async () => {
    answers(503);
    await failure('/', { retries: 7 });
    expect([pauses, upstream.requests.length]).to.deep.equal([[100, 200, 400, 800, 1600, 2000, 2000], 8]);
    pauses = [];
    Math.random = () => 0.5;
    await failure('/', { retries: 2 });
    expect(pauses).to.deep.equal([150, 300]);
  });

  it('is not sent again where the pause would pass its deadline', async () => {
    answers(503);
    for (const [patience, tries] of [
      [100, 1],
      [101, 2],
      [300, 2],
      [301, 3],
    ] as const) {
      upstream.requests.length = 0;
      const { code } = await failure('/', { retries: 5, patience });
      expect([code, upstream.requests.length], `${patience} ms`).to.deep.equal(['OUT_STATUS', tries]);
    }
  });

  it('ends with the first answer that is no failure', async () => {
    behave = (_req, res) => void res.writeHead(upstream.requests.length < 3 ? 503 : 200).end();
    expect((await call('/', { retries: 5 })).status).to.equal(200);
    expect([pauses, logged]).to.deep.equal([[100, 200], []]);
  });

  const redirected: readonly (readonly [status: number, method: string, then: string])[] = [
    [301, 'GET', 'GET /b'],
    [302, 'PUT', 'PUT /b x'],
    [301, 'POST', 'GET /b'],
    [302, 'POST', 'GET /b'],
    [303, 'POST', 'GET /b'],
    [303, 'PUT', 'GET /b'],
    [307, 'POST', 'POST /b x'],
    [308, 'POST', 'POST /b x'],
  ];
  for (const [status, method, then] of redirected)
    it(`follows ${status} of ${method} with ${then}`, async () => {
      behave = (_req, res, { url }) =>
        void (url === '/a' ? res.writeHead(status, { location: '/b' }) : res.writeHead(200)).end();
      const body = method === 'GET' ? undefined : 'x';
      expect((await call('/a', { method, body, redirects: 1 })).status).to.equal(200);
      expect(listSent()).to.deep.equal([`${method} /a ${body ?? ''}`.trim(), then]);
    });

  it('follows as many redirects as it is reported, within the origin', async () => {
    behave = (_req, res, { url }) => void res.writeHead(302, { location: `${url}x` }).end();
    expect((await failure('/', { redirects: 2 })).params['status']).to.equal(302);
    expect(listSent()).to.deep.equal(['GET /', 'GET /x', 'GET /xx']);
    const { port } = upstream;
    for (const location of [
      `http://127.0.0.2:${port}/`,
      `https://127.0.0.1:${port}/`,
      `http://127.0.0.1:${port + 1}/`,
      `http://user@127.0.0.1:${port}/`,
      `http://:word@127.0.0.1:${port}/`,
      'http://',
    ]) {
      upstream.requests.length = 0;
      answers(302, { location });
      expect((await failure('/', { redirects: 5 })).params['status'], location).to.equal(302);
      expect(upstream.requests.length, location).to.equal(1);
    }
    for (const status of [300, 304, 305, 306, 404]) {
      upstream.requests.length = 0;
      answers(status, { location: '/b' });
      expect([(await failure('/', { redirects: 1 })).params['status'], upstream.requests.length]).to.deep.equal([
        status,
        1,
      ]);
    }
    answers(302);
    expect((await failure('/', { redirects: 1 })).params['status']).to.equal(302);
  });

  it('reads as much as the limit, announced or not, and of HEAD what is announced does not count', async () => {
    const large = { code: 'OUT_UNREADABLE', what: 'it is larger than the limit' };
    for (const headers of [{}, { 'content-length': `${CAP}` }]) {
      answers(200, headers, 'x'.repeat(CAP));
      expect((await call()).body).to.have.length(CAP);
    }
    for (const headers of [{ 'transfer-encoding': 'chunked' }, { 'content-length': `${CAP + 1}` }]) {
      answers(200, headers, 'x'.repeat(CAP + 1));
      const { code, params } = await failure('/', { retries: 1 });
      expect({ code, what: params['what'] }).to.deep.equal(large);
    }
    expect(pauses).to.deep.equal([]);
    behave = (_req, res) => void res.writeHead(200, { 'content-length': `${CAP + 1}` }).write('x');
    expect((await failure()).code).to.equal('OUT_UNREADABLE');
    answers(200, { 'content-length': `${CAP + 1}` });
    expect((await call('/', { method: 'HEAD' })).body).to.have.length(0);
  });

  it('has its headers, a name, and an empty body where the method wants one', async () => {
    answers(200);
    for (const method of ['GET', 'DELETE', 'PATCH', 'POST', 'PUT'])
      await call('/', { method, headers: { 'x-a': '1' } });
    const lengths = upstream.requests.map(({ method, headers }) => [method, headers['content-length'] ?? null]);
    expect(lengths.filter(([, length]) => length === '0').map(([method]) => method)).to.include.members([
      'POST',
      'PUT',
    ]);
    expect(lengths[0]).to.deep.equal(['GET', null]);
    for (const { headers } of upstream.requests)
      expect([headers['x-a'], headers['user-agent']]).to.deep.equal(['1', 'lintel']);
  });

  it('is sent again on a new connection where a kept one ends without an answer, if that is the same as once', async () => {
    const seen = new WeakSet<object>();
    behave = ({ socket }, res) => {
      if (seen.has(socket)) socket.destroy();
      else res.end();
      seen.add(socket);
    };
    const tries = async (method: string): Promise<unknown> => {
      await call();
      // The connection is free again.
      for (let n = 0; n < 5; n++) await new Promise((resolve) => setImmediate(resolve));
      upstream.requests.length = 0;
      const outcome = await call('/', { method }).catch(({ code, options }: Fault) => [code, options.retryable]);
      return [Array.isArray(outcome) ? outcome : 'fine', upstream.requests.length];
    };
    for (const method of ['GET', 'PUT', 'DELETE']) expect(await tries(method), method).to.deep.equal(['fine', 2]);
    for (const method of ['POST', 'PATCH'])
      expect(await tries(method), method).to.deep.equal([['OUT_FAILED', true], 1]);
    expect(pauses).to.deep.equal([]);
  });

  it('calls the hosts that the config allows, and of those from a request only public ones', async () => {
    answers(200);
    const fixed = await failure('/', { url: new URL('http://127.0.0.1:1/') });
    const dynamic = await failure('/', { dynamic: true });
    expect([fixed.code, fixed.options.status, dynamic.code, dynamic.options.status]).to.deep.equal([
      'OUT_REFUSED',
      undefined,
      'OUT_REFUSED',
      422,
    ]);
    expect(upstream.requests).to.deep.equal([]);
  });

  it('that fails is logged with its place, host and reason, and without its address', async () => {
    answers(500);
    await failure('/secret?key=1');
    await failure('/', { url: new URL('http://127.0.0.1:1/secret') });
    behave = ({ socket }) => void socket.destroy();
    await failure('/secret', { method: 'POST' });
    const { host } = new URL(upstream.url);
    expect((logged as { reason: string }[]).map(({ reason: _reason, ...rest }) => rest)).to.deep.equal([
      { action: 'notes#1', host, code: 'OUT_STATUS' },
      { action: 'notes#1', host: '127.0.0.1:1', code: 'OUT_REFUSED' },
      { action: 'notes#1', host, code: 'OUT_FAILED' },
    ]);
    const reasons = (logged as { reason: string }[]).map(({ reason }) => reason);
    expect([reasons[0], reasons[2], reasons[1] !== '']).to.deep.equal(['500', 'ECONNRESET', true]);
  });
});
