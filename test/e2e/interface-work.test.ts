/**
 * The interface on deferred work, sentence by sentence: the background endpoint, queues, webhooks that queue, scheduled
 * resources. Definitions written from the interface alone; both databases, both profiles.
 */
import { expect } from 'chai';
import type { JobAdmin } from '../../contract/deferred.js';
import type { Answer, Loose } from '../support/client.js';
import { SCHEDULED, WORK } from '../support/interface-work.js';
import { waitForValue, JOBS, createQueueConfig } from '../support/jobs.js';
import { listSuiteDatabases, startKernel, type DatabaseKind, type TestKernel } from '../support/kernel.js';
import { createBearerInit, createTokenClaims, signJwt, KEY } from '../support/tokens.js';
import { startUpstream, type ReceivedRequest, type Upstream } from '../support/upstream.js';
import { signHmac } from '../support/webhooks.js';
import { skipTest } from '../support/skip.js';

const HOOK_KEY = 'Xq5Rt8Lm2Zc7Vb4Nk9Wp3Jh6Gf1Ds0Ay';
type Row = Readonly<Record<'id' | 'text' | 'status', string>> & { readonly url: string | null };

/** Each database, each profile: combinations behave the same. */
const PROFILES = { pglite: 'sub0', postgres: null } as const;

for (const { name, make } of listSuiteDatabases()) {
  const profile = PROFILES[name];
  describe(`the interface: work (${name}, ${profile ?? 'default profile'})`, () => describeWork(name, make, profile));
}

function describeWork(name: DatabaseKind['name'], make: DatabaseKind['make'], profile: 'sub0' | null): void {
  let kernel!: TestKernel;
  let upstream!: Upstream;
  let failures = new Map<string, number>();
  before(async function () {
    const database = await make();
    if ('skip' in database) return skipTest(this, database.skip);
    upstream = await startUpstream((_req, res, { url }) => {
      const left = failures.get(url) ?? 0;
      failures.set(url, left - 1);
      res.writeHead(left > 0 ? 503 : 200, { 'content-type': 'application/json' }).end('{"ok":true}');
    });
    kernel = await startKernel({
      files: { 'definitions/work.json': [...WORK, JOBS] },
      config: {
        connections: database.connections,
        queue: { ...createQueueConfig(name), concurrency: 1, poll: 0.1 },
        outbound: { allow: [`127.0.0.1:${upstream.port}`] },
        ...(profile && { profile }),
      },
      env: { ...database.env, JWT_SECRET_KEY: KEY, HOOK_KEY, REMOTE: upstream.url, STAGE: 'test' },
    });
  });
  after(async () => {
    await kernel?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    upstream.requests.splice(0);
    failures = new Map();
  });

  /** The content of the response in either profile. */
  const inside = ({ body }: Answer<Loose>): Loose => (profile === null ? body : (body['data'] as Loose));
  const post = (id: string, body: unknown = {}, init?: RequestInit) => kernel.post(`/work/${id}`, body, init);
  const listRequests = (path: string): ReceivedRequest[] => upstream.requests.filter(({ url }) => url === `/${path}`);
  const waitForRequests = (path: string, times = 1): Promise<ReceivedRequest[]> =>
    waitForValue(
      () => listRequests(path),
      ({ length }) => length >= times,
    );
  const parseBody = (one: ReceivedRequest | undefined): Loose => JSON.parse(one?.body ?? 'null') as Loose;
  const notes = async (status: string): Promise<Row[]> =>
    (inside(await post('notes')) as unknown as Row[]).filter((row) => row.status === status);
  const noted = (status: string, times = 1): Promise<Row[]> =>
    waitForValue(
      () => notes(status),
      ({ length }) => length >= times,
    );
  const getJobAdmin = () => kernel.kernel.listJobAdmins()[0] as JobAdmin;
  const idle = async (): Promise<void> => {
    await waitForValue(
      async () => inside(await kernel.post('/jobs')) as unknown as readonly unknown[],
      ({ length }) => length === 0,
    );
  };
  /** 202, with the id of the request. */
  const expectAccepted = (answer: Answer<Loose>): string => {
    expect(answer.status, answer.text).to.equal(202);
    const id = answer.headers.get('x-request-id') ?? '';
    expect(inside(answer)).to.deep.equal({ accepted: true, id });
    if (profile === 'sub0') expect(answer.body).to.include({ success: true }).and.to.have.property('message');
    return id;
  };
  const signBody = (body: Loose, key = HOOK_KEY): [string, RequestInit] => {
    const text = JSON.stringify(body);
    return [text, { headers: { 'x-signature': `sha256=${signHmac(text, key)}`, 'x-kind': 'payment' } }];
  };

  describe('`run_in_background`: the request returns immediately and the work continues', () => {
    it('on the resource: all of it runs after the response, in order, with the timestamp of the request', async () => {
      const id = expectAccepted(await post('report', { text: 'one' }));
      const [call] = await waitForRequests('reported');
      expect(parseBody(call)['text']).to.equal('one');
      const [row] = (await noted('report')) as (Row & { created_at: string })[];
      expect(parseBody(call)['at']).to.equal(row?.created_at);
      expect(call?.headers['idempotency-key']).to.equal(id);
    });

    it('on the only actionable', async () => {
      expectAccepted(await post('only', { text: 'one' }));
      expect(await noted('only')).to.have.length(1);
    });

    it('on one of two: returns the other with 200, in either order', async () => {
      const both = await post('both', { text: 'two' });
      expect([both.status, inside(both)]).to.deep.equal([200, { text: 'two' }]);
      const second = await post('first-behind', { text: 'two' });
      expect(second.status).to.equal(200);
      expect(inside(second)).to.include({ text: 'two' });
      for (const status of ['now', 'behind', 'now second', 'behind first'])
        expect(await noted(status), status).to.have.length(1);
    });

    it('by the id of the definition as by its path', async () => {
      expectAccepted(await kernel.post('/report', { text: 'by id' }));
      await waitForRequests('reported');
    });

    it('rejects an invalid payload before anything is accepted', async () => {
      for (const id of ['report', 'only']) {
        const { status, body } = await post(id, { text: '' });
        expect([status, body['code']], id).to.deep.equal([422, 'VAL_PAYLOAD']);
      }
      await idle();
      expect(upstream.requests).to.deep.equal([]);
      expectAccepted(await post('bypassed', { text: 'x'.repeat(99) }));
      await noted('bypassed');
    });

    if (profile === 'sub0')
      it('reads an accessor that the payload lacks as NULL, as in the foreground', async () => {
        expectAccepted(await post('absent'));
        expect((await noted('absent'))[0]?.url).to.equal(null);
      });

    it('runs adjacent actionables concurrently when they are `parallel`', async () => {
      expectAccepted(await post('parallel'));
      await waitForRequests('side-a');
      await waitForRequests('side-b');
    });
  });

  describe('`queue`: delay, priority, retries', () => {
    it('pattern 1: a token is issued for the response, the welcome message is sent after it', async () => {
      const email = 'ada@example.com';
      const answer = await post('sign-up', { email, password: 'correct horse' });
      expect(answer.status, answer.text).to.equal(200);
      expect(inside(answer)).to.have.all.keys('id', 'email', 'token');
      const [call] = await waitForRequests('welcome');
      expect(parseBody(call)).to.deep.equal({ to: email, user: inside(answer)['id'], stage: 'test' });
      expect(call?.body).not.to.include('correct horse');
      expect((await post('sign-up', { email, password: 'another horse' })).status).to.equal(409);
      await idle();
      expect(listRequests('welcome'), 'of a refusal nothing is sent').to.have.length(1);
    });

    it('pattern 7: a queued outbound call, not before its delay in seconds', async () => {
      const begun = Date.now();
      expectAccepted(await post('order', { text: 'lamp' }));
      expect(listRequests('orders')).to.deep.equal([]);
      const [call] = await waitForRequests('orders');
      expect(Date.now() - begun).to.be.at.least(1950);
      expect(parseBody(call)).to.deep.equal({ text: 'lamp' });
    });

    it('on the resource, with headers of the request', async () => {
      expectAccepted(await post('queued', { text: 'q' }, { headers: { 'x-trace': 'abc' } }));
      const [call] = await waitForRequests('queued');
      expect(call?.headers['x-trace']).to.equal('abc');
    });

    it('runs the higher priority first', async () => {
      expectAccepted(await post('ranks'));
      await Promise.all(['rank-low', 'rank-middle', 'rank-high'].map((path) => waitForRequests(path)));
      expect(upstream.requests.map(({ url }) => url)).to.deep.equal(['/rank-high', '/rank-middle', '/rank-low']);
    });

    it('retries with the same id until it succeeds', async () => {
      failures.set('/flaky', 2);
      const id = expectAccepted(await post('again', { text: 'thrice' }));
      const calls = await waitForRequests('flaky', 3);
      expect(new Set(calls.map(({ headers }) => headers['idempotency-key']))).to.deep.equal(new Set([id]));
      await idle();
    });

    it('stores permanently failed work, which can be listed and retried', async () => {
      failures.set('/broken', 2);
      expectAccepted(await post('never'));
      const [dead] = await waitForValue(
        () => getJobAdmin().list({ state: 'dead' }),
        ({ length }) => length === 1,
      );
      expect(listRequests('broken')).to.have.length(2);
      expect(await getJobAdmin().retry(dead?.id ?? '')).to.equal(true);
      await waitForRequests('broken', 3);
      await idle();
    });
  });

  describe('chains, guards, files and caches', () => {
    it('values of earlier actionables are stored with the job', async () => {
      const answer = await post('chain', { text: 'chained' });
      expect(answer.status).to.equal(200);
      const [row] = await noted('FULFILLED');
      expect(row?.id).to.equal(inside(answer)['id']);
    });

    it('run a dependency of another resource', async () => {
      await post('both', { text: 'a first one' });
      expectAccepted(await post('elsewhere'));
      const [call] = await waitForRequests('elsewhere');
      expect(parseBody(call)['first']).to.be.a('string');
    });

    it('require a token first, whose claims are available when the work runs', async () => {
      expect((await post('mine', { text: 'x' })).status).to.equal(401);
      expectAccepted(
        await post('mine', { text: 'x', id: 'somebody' }, createBearerInit(await signJwt(createTokenClaims()))),
      );
      expect(parseBody((await waitForRequests('mine'))[0])).to.deep.equal({
        owner: 'ada',
        all: { text: 'x', id: 'somebody' },
      });
    });

    it('pass results of an upload to the queued insert', async () => {
      const form = new FormData();
      form.append('file', new Blob(['a text of its own\n'], { type: 'text/plain' }), 'a.txt');
      const answer = await kernel.request('POST', '/work/upload', { body: form });
      expect(answer.status, answer.text).to.equal(200);
      const [stored] = inside(answer) as unknown as readonly Loose[];
      const [row] = await noted('uploaded');
      expect([row?.text, row?.url]).to.deep.equal([stored?.['storage_key'], stored?.['url']]);
    });

    it('empty a cache when the work has run', async () => {
      expect(inside(await post('cached'))).to.deep.equal({ many: 0 });
      expectAccepted(await post('cache-add', { text: 'c' }));
      await waitForValue(
        async () => inside(await post('cached')),
        ({ many }) => many === 1,
      );
    });
  });

  describe('webhook endpoint', () => {
    it('with `run_in_background`: verifies, accepts, then writes and calls others', async () => {
      expectAccepted(await post('paid', ...signBody({ text: 'invoice 7', amount: 5 })));
      expect(parseBody((await waitForRequests('paid'))[0])).to.deep.equal({
        all: { text: 'invoice 7', amount: 5 },
        kind: 'payment',
      });
      expect((await noted('paid')).map(({ text }) => text)).to.deep.equal(['invoice 7']);
    });

    it('does not accept an unverified request', async () => {
      for (const [body, init] of [signBody({ text: 'x' }, 'another key'), ['{"text":"x"}', {}] as const])
        expect((await post('paid', body, init)).status).to.equal(401);
      await idle();
      expect(await notes('paid')).to.have.length(1);
    });

    it('can queue work: returns the response of the synchronous actionables', async () => {
      const answer = await post('paid-any', { text: 'any' }, { headers: { 'x-secret': HOOK_KEY } });
      expect([answer.status, inside(answer)]).to.deep.equal([200, { text: 'any' }]);
      expect(parseBody((await waitForRequests('paid-any'))[0])).to.deep.equal({ id: 'any' });
      expect((await post('paid-any', { text: 'none' }, { headers: { 'x-secret': 'wrong' } })).status).to.equal(401);
    });

    it('accepts forms as well as JSON', async () => {
      const form = new FormData();
      form.append('text', 'from a form');
      const answer = await kernel.request('POST', '/work/paid-any', { body: form, headers: { 'x-secret': HOOK_KEY } });
      expect([answer.status, inside(answer)]).to.deep.equal([200, { text: 'from a form' }]);
      await waitForRequests('paid-any');
    });
  });

  describe('scheduled resources', () => {
    it('run on the schedule without client requests, and end when they are removed', async () => {
      await post('chain', { text: 'to be cleaned' });
      await noted('FULFILLED');
      await kernel.project.write('definitions/scheduled.json', SCHEDULED);
      expect((await kernel.kernel.reload()).applied).to.equal(true);
      const pulses = await waitForRequests('pulse', 2);
      const instants = pulses.map((one) => String(parseBody(one)['at']));
      for (const instant of instants) expect(instant).to.match(/:\d\d\.000Z$/);
      expect(new Set(instants).size, 'one run for each instant').to.equal(instants.length);
      await waitForRequests('beat', 1);
      // Pattern 8: fulfilled rows are removed.
      await waitForValue(
        () => notes('FULFILLED'),
        ({ length }) => length === 0,
      );
      for (const id of ['cleanup', 'yearly', 'beat']) expect((await post(id)).status, id).to.equal(404);
      expect(inside(await post('pulse')), 'the rest of its resource is reached').to.deep.equal({ alive: 1 });
      expect(listRequests('yearly')).to.deep.equal([]);
      await kernel.project.remove('definitions/scheduled.json');
      expect((await kernel.kernel.reload()).applied).to.equal(true);
    });
  });
}
