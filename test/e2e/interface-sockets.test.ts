/**
 * The interface on socket clients, sentence by sentence: the table of the WebSocket endpoint, broadcasts, settings of
 * the environment. Definitions written from the interface alone; both profiles.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createSocketFixture, type SocketClient } from '../support/sockets.js';
import { createTokenClaims, signJwt, KEY, OTHER_KEY } from '../support/tokens.js';
import { signHmac } from '../support/webhooks.js';

const sql = (query: string, parameters: readonly unknown[] = []) => ({ query, parameters });
const validates = { type: 'JWT', algorithm: 'HS256', encryption_key: '$ENV.JWT_SECRET_KEY' };
const defineGuard = (provide_as: string) => ({
  tokenize: validates,
  protected: { provide_as, extract_claims: ['id'] },
});
const of = (id: string, action: object, rest: object = {}): object => ({
  id,
  resource: `live/${id}`,
  actionables: [{ id: 1, mode: 'QUERY', ...action }],
  ...rest,
});
const defineBroadcast = (broadcast_type: string, broadcast_to?: string) => ({
  broadcast_websocket_message: { broadcast_type, action: 'told', ...(broadcast_to && { broadcast_to }) },
});
const text = { payload_validation: [{ field: { text: { type: 'STRING' } }, min_length: 1, max_length: 50 }] };
const saying = {
  ...text,
  sql_query: sql("SELECT $1::text AS text, 'hidden' AS rest", ['text']),
  returnables: ['text'],
};

const DEFINITIONS = [
  of('whoami', { sql_query: sql('SELECT $1::text AS id', ['$PAYLOAD.id']) }),
  of('say', saying),
  of('mine', { sql_query: sql('SELECT $1::text AS owner', ['$PROTECTED.id']) }, defineGuard('Authorization')),
  of('mine-custom', { sql_query: sql('SELECT $1::text AS owner', ['$PROTECTED.id']) }, defineGuard('x-access-token')),
  of(
    'sign-in',
    { sql_query: sql('SELECT $1::text AS id', ['$PAYLOAD.id']) },
    {
      tokenize: { ...validates, expiration: 60, custom_claim_fields: ['id'], property_name: 'token' },
      returnables: ['id', 'token'],
    },
  ),
  of('to-all', { ...saying, ...defineBroadcast('ALL') }),
  of('to-one', { ...saying, ...defineBroadcast('SINGLE', '$PAYLOAD.to') }),
  of('to-some', { ...saying, ...defineBroadcast('BULK', '$PAYLOAD.to') }),
  of('behind', { ...saying, ...defineBroadcast('ALL'), run_in_background: true }),
  of('queued', { ...saying, ...defineBroadcast('SINGLE', '$PAYLOAD.to'), queue: { delay: 0, priority: 2 } }),
  of(
    'hook',
    { ...saying, ...defineBroadcast('ALL') },
    {
      run_in_background: true,
      webhook: {
        verifications: { HmacSignatureVerifier: { sig_header: '$HEADER.x-signature', secret_key: '$ENV.HOOK_KEY' } },
      },
    },
  ),
];
const PULSE = of('pulse', {
  sql_query: sql("SELECT 'pulse' AS text"),
  returnables: ['text'],
  cron_job: { execution_interval: '* * * * * *' },
  ...defineBroadcast('ALL'),
});
const HOOK_KEY = 'Xq5Rt8Lm2Zc7Vb4Nk9Wp3Jh6Gf1Ds0Ay';
const ENV = { JWT_SECRET_KEY: KEY, HOOK_KEY, ALLOW_WEBSOCKET_CONNECTIONS: 'true' };

for (const profile of [null, 'sub0'] as const) {
  describe(`the interface: socket clients (${profile ?? 'default profile'})`, function () {
    const { start, open, farewell } = createSocketFixture({ 'definitions/live.json': DEFINITIONS });
    const options = (env: Record<string, string>, files: object) => ({
      env: { ...ENV, ...env },
      files: { 'definitions/live.json': DEFINITIONS, ...files },
      // Only the environment decides whether clients may connect.
      config: {
        websocket: {},
        connections: { main: { use: 'pglite', path: 'memory://' } },
        queue: { use: 'embedded', poll: 0.1 },
        ...(profile && { profile }),
      },
    });
    /** Starts a separate kernel and reads no response in an envelope. */
    const itOnce = profile === null ? it : () => undefined;
    let shared!: TestKernel;
    before(async () => void (shared = await startKernel(options({}, {}))));
    after(() => shared.close());
    const serve = (env?: Record<string, string>, files: object = {}): Promise<TestKernel> =>
      env === undefined ? Promise.resolve(shared) : start(options(env, files));
    /** With a protected resource, messages for a uid are for clients that have proved it. */
    const openAs = async (url: string, uid: string): Promise<SocketClient> =>
      open(url, {
        query: `?uid=${uid}`,
        protocols: ['Authorization', await signJwt({ ...createTokenClaims(), id: uid })],
      });
    const waitForBroadcast = (client: SocketClient) => client.next(({ action }) => action === 'told');

    itOnce('is off without ALLOW_WEBSOCKET_CONNECTIONS=true', async () => {
      const { url } = await serve({ ALLOW_WEBSOCKET_CONNECTIONS: 'false' });
      expect(await open(url).catch((error: Error) => error)).to.be.an('error');
    });

    it('is at /ws; a message is {resource, action, payload}, its response {uid, action, data}, without any envelope', async () => {
      const client = await open((await serve()).url, { query: '?uid=ada' });
      client.send({ resource: 'live/say', action: 'say', payload: { text: 'hello' } });
      expect(await client.next()).to.deep.equal({ uid: 'ada', action: 'say', data: { text: 'hello' } });
      client.send({ resource: 'say', action: 'by id', payload: { text: 'hello' } });
      expect(await client.next()).to.deep.equal({ uid: 'ada', action: 'by id', data: { text: 'hello' } });
    });

    itOnce('is at another path with WEBSOCKET_ENDPOINT', async () => {
      const { url } = await serve({ WEBSOCKET_ENDPOINT: '/live-now' });
      expect((await (await open(url, { path: '/live-now' })).sendRequest('say', { text: 'x' })).data).to.deep.equal({
        text: 'x',
      });
      expect(await open(url).catch((error: Error) => error)).to.be.an('error');
    });

    itOnce('has an optional uid, required with FORCE_WEBSOCKET_WITH_UID=true', async () => {
      const free = await open((await serve()).url);
      expect(await free.sendRequest('say', { text: 'x' })).to.include({ uid: null });
      const { url } = await serve({ FORCE_WEBSOCKET_WITH_UID: 'true' });
      expect(await farewell(url, {})).to.include({ code: 'WS_UID', closed: 4400 });
      expect(await (await open(url, { query: '?uid=7' })).sendRequest('say', { text: 'x' })).to.include({ uid: '7' });
    });

    it('adds the uid to the payload as `id`', async () => {
      const { url } = await serve();
      const client = await open(url, { query: '?uid=ada' });
      expect((await client.sendRequest('whoami', {})).data).to.deep.equal({ id: 'ada' });
      expect((await client.sendRequest('whoami')).data).to.deep.equal({ id: 'ada' });
      const nobody = await open(url);
      expect((await nobody.sendRequest('whoami', { id: 'own' })).data).to.deep.equal({ id: 'own' });
    });

    it('reads the name of the header and the token from the sub-protocols for protected resources', async () => {
      const { url } = await serve();
      const token = await signJwt(createTokenClaims());
      for (const [header, id] of [
        ['Authorization', 'mine'],
        ['x-access-token', 'mine-custom'],
      ] as const) {
        const client = await open(url, { query: '?uid=ada', protocols: [header, token] });
        expect((await client.sendRequest(id, {})).data, header).to.deep.equal({ owner: 'ada' });
      }
      const { error } = await (await open(url, { query: '?uid=ada' })).sendRequest('mine', {});
      expect(error).to.include({ status: 401, code: 'TOK_REFUSED', success: false });
      const forged = await signJwt(createTokenClaims(), OTHER_KEY);
      expect(await farewell(url, { protocols: ['Authorization', forged] })).to.include({ status: 401, closed: 4401 });
      expect(await farewell(url, { query: '?uid=eve', protocols: ['Authorization', token] })).to.include({
        closed: 4401,
      });
    });

    it('uses the same `tokenize` and rules as HTTP', async () => {
      const { url } = await serve();
      const client = await open(url, { query: '?uid=ada' });
      const { data } = await client.sendRequest('sign-in', {});
      expect(data).to.have.all.keys('id', 'token');
      const mine = await open(url, {
        query: '?uid=ada',
        protocols: ['Authorization', String((data as Loose)['token'])],
      });
      expect((await mine.sendRequest('mine', {})).data).to.deep.equal({ owner: 'ada' });
      expect((await client.sendRequest('say', {})).error).to.include({ status: 422, code: 'VAL_PAYLOAD' });
      expect((await client.sendRequest('nowhere', {})).error).to.include({ status: 404, code: 'REQ_NOT_FOUND' });
      client.send('not json');
      expect((await client.next()).error).to.include({ status: 400, code: 'REQ_MALFORMED' });
    });

    it('broadcasts to ALL, SINGLE by an accessor, BULK by a list; `data` is what the action returns', async () => {
      const kernel = await serve();
      const [ada, grace, free] = [
        await openAs(kernel.url, 'ada'),
        await openAs(kernel.url, 'grace'),
        await open(kernel.url),
      ] as const;
      expect((await kernel.post('/live/to-all', { text: 'all' })).status).to.equal(200);
      for (const [client, uid] of [
        [ada, 'ada'],
        [grace, 'grace'],
        [free, null],
      ] as const)
        expect(await waitForBroadcast(client)).to.deep.equal({ uid, action: 'told', data: { text: 'all' } });
      await kernel.post('/live/to-one', { text: 'one', to: 'grace' });
      await kernel.post('/live/to-some', { text: 'some', to: ['ada', 'grace'] });
      // In order: the next message to the others shows that the message to one was not for them.
      expect((await waitForBroadcast(grace)).data).to.deep.equal({ text: 'one' });
      for (const client of [ada, grace]) expect((await waitForBroadcast(client)).data).to.deep.equal({ text: 'some' });
      await kernel.post('/live/to-all', { text: 'last' });
      expect((await waitForBroadcast(free)).data).to.deep.equal({ text: 'last' });
    });

    it('sends to the sender of a broadcasting message both the response and the event', async () => {
      const client = await open((await serve()).url);
      expect((await client.sendRequest('to-all', { text: 'twice' })).data).to.deep.equal({ text: 'twice' });
      expect(await waitForBroadcast(client)).to.deep.equal({ uid: null, action: 'told', data: { text: 'twice' } });
    });

    it('broadcasts deferred work, queued work and webhooks when they have run', async () => {
      const kernel = await serve();
      const client = await openAs(kernel.url, 'ada');
      const { data } = await client.sendRequest('behind', { text: 'behind' });
      expect(data).to.include({ accepted: true }).and.to.have.all.keys('accepted', 'id');
      expect((await waitForBroadcast(client)).data).to.deep.equal({ text: 'behind' });
      expect((await kernel.post('/live/queued', { text: 'queued', to: 'ada' })).status).to.equal(202);
      expect((await waitForBroadcast(client)).data).to.deep.equal({ text: 'queued' });
      const body = JSON.stringify({ text: 'hook' });
      const headers = { 'x-signature': signHmac(body, HOOK_KEY) };
      expect((await kernel.post('/live/hook', body, { headers })).status).to.equal(202);
      expect((await waitForBroadcast(client)).data).to.deep.equal({ text: 'hook' });
    });

    itOnce('broadcasts from schedules', async () => {
      const client = await open((await serve({}, { 'definitions/pulse.json': PULSE })).url);
      expect(await waitForBroadcast(client)).to.deep.equal({ uid: null, action: 'told', data: { text: 'pulse' } });
    });
  });
}
