/**
 * The sample definitions and a real application, served and compared with their OpenAPI document: every accepted
 * request matches the schema of its body, and the document contains every response, including rejections.
 */
import { expect } from 'chai';
import type { JsonObject } from '../../contract/json.js';
import { describeKernel } from '../../cli/openapi.js';
import type { Client } from '../support/client.js';
import { describeOnDatabase, startKernel, type TestKernel } from '../support/kernel.js';
import { listDocumentErrors, checkAllCalls, createDocumentChecker, type DocumentChecker } from '../support/openapi.js';
import { createFormData, PNG_RED } from '../support/pictures.js';
import { copyQuickSample, defineQueryResource, SAMPLE_ENV } from '../support/project.js';
import { startProvider } from '../support/provider.js';
import { describeCalls } from '../support/soforotto-calls.js';
import { copyApplication, ENV, isAtHand, createSeeds, startRemoteStandIn } from '../support/soforotto.js';
import type { StandIn } from '../support/upstream.js';
import { createWalletInit, createEmail, PASSWORD, createPerson, PIN } from '../support/wallet.js';
import { signHmac } from '../support/webhooks.js';
import { NO_SHARED, skipTest } from '../support/skip.js';

const provider = await startProvider();
const sample = {
  prepare: copyQuickSample,
  env: { ...SAMPLE_ENV, ...provider.env },
  config: { outbound: provider.outbound },
};
after(() => provider.upstream.close());
/** Only a connection can be in a room. */
const ROOMS = ['/support/join', '/support/leave', '/wallet/watch', '/wallet/unwatch'];

describeOnDatabase('openapi of the sample', sample, (kernel) => {
  let document: JsonObject;
  let validate: DocumentChecker;
  let client: Client;
  before(async () => {
    document = await describeKernel(kernel().kernel);
    validate = createDocumentChecker(document);
    client = checkAllCalls(kernel(), validate);
  });

  it('is a valid document', async () => {
    expect(await listDocumentErrors(document)).to.equal('');
  });

  it('has the samples of all plans as examples that match their schemas', async () => {
    const paths = document['paths'] as Record<string, Record<string, JsonObject>>;
    let sent = 0;
    for (const [path, { post }] of Object.entries(paths)) {
      const body = post?.['requestBody'] as { content: Record<string, { example?: unknown }> } | undefined;
      const example = body?.content['application/json']?.example;
      if (example === undefined || path.includes('{')) continue;
      const { status } = await client.post(path, example);
      expect(status, path).to.be.oneOf([200, 401, 503]);
      sent++;
    }
    expect(sent).to.be.greaterThan(15);
  });

  it('describes the responses to users with a wallet', async function () {
    const ada = await createPerson(client, 1000, { name: 'Ada' });
    const bob = await createPerson(client);
    const profile = { name: 'Countess', address: { street: 'A 1', city: 'B', country: 'UK' }, interests: ['engines'] };
    expect((await ada.post('/profile/update', profile)).status).to.equal(200);
    expect((await ada.post('/profile')).body['interests']).to.deep.equal(['engines']);
    const transfer = { to_email: bob.email, amount: 10, pin: PIN, note: 'for the engine' };
    const sent = await ada.post('/wallet/transfer', transfer);
    expect(sent.status, sent.text).to.equal(200);
    expect((await ada.post(`/wallet/history/${String(sent.body['id'])}`)).status).to.equal(200);
    const entries = [{ reference: createEmail(), amount: -5 }];
    const { body: started } = await ada.post('/connect/start');
    const photos = await client.request<readonly { storage_key: string }[]>('POST', '/gallery/add', {
      ...createWalletInit(ada.token),
      body: createFormData([{ name: 'file', content: PNG_RED, file: 'red.png', type: 'image/png' }]),
    });
    expect(photos.status, photos.text).to.equal(200);
    const document = { kind: 'passport', number: 'C01X00T47', country: 'DE' };
    for (const [path, body] of [
      ['/gallery', {}],
      ['/gallery/remove', photos.body.map(({ storage_key: key }) => key)],
      ['/profile/private/update', { phone: '+49 30 1234567', document }],
      ['/profile/private', {}],
      ['/connect/callback', { state: started['state'], code: 'good' }],
      ['/connect/account', {}],
      ['/wallet/history', {}],
      ['/wallet/search', { words: 'engine' }],
      ['/wallet/import', { entries }],
      ['/wallet/summary', {}],
      ['/wallet/statement', {}],
      ['/activity', { limit: 10 }],
      ['/activity/unread', {}],
      ['/activity/search', { words: 'engine' }],
      ['/activity/read', { ids: ['deposit of nobody'] }],
      ['/profile/pin', { password: PASSWORD, pin: '1234' }],
      ['/support/say', { text: 'hello' }],
      ['/profile/close', {}],
      ['/sign-in', { email: bob.email, password: PASSWORD }],
    ] as const) {
      const who = path === '/sign-in' ? client.post(path, body) : ada.post(path, body);
      expect((await who).status, path).to.equal(200);
    }
    expect((await bob.post('/wallet/statement/mail')).status).to.equal(202);
    const pass = await client.post('/guest/pass', {});
    const fees = await client.post('/guest/fees', {}, { headers: { 'x-guest-pass': String(pass.body['pass']) } });
    expect(fees.status).to.equal(200);
    expect((await bob.post('/sign-out')).status).to.equal(200);
  });

  it('describes the responses to senders of webhooks', async () => {
    const ada = await createPerson(client);
    const event = JSON.stringify({ event: 'evt_openapi', wallet: ada.id, amount: 5 });
    const paid = { 'x-payment-signature': signHmac(event, SAMPLE_ENV.PAYMENT_SECRET) };
    const sender = { 'x-rates-token': SAMPLE_ENV.RATES_TOKEN };
    const rates = [{ currency: 'USD', rate: 1.08 }];
    const staff = { 'x-staff-token': SAMPLE_ENV.STAFF_TOKEN };
    for (const [path, body, headers, status] of [
      ['/payments/webhook', event, paid, 202],
      ['/payments/webhook', event, {}, 401],
      ['/rates/update', { rates }, sender, 200],
      ['/rates/update', { rates: [] }, sender, 422],
      ['/rates', {}, {}, 200],
      ['/support/answer', { wallet: ada.id, text: 'hello' }, staff, 200],
      ['/support/answer', { wallet: '0'.repeat(26), text: 'hello' }, staff, 404],
      ['/announce', { wallets: [ada.id], text: 'hello' }, staff, 200],
      ['/announce', { wallets: [], text: 'hello' }, staff, 422],
      ['/announce/all', { text: 'hello' }, staff, 200],
      ['/announce/all', { text: 'hello' }, {}, 401],
    ] as const)
      expect((await client.post(path, body, { headers })).status, path).to.equal(status);
  });

  it('describes their rejections', async () => {
    const ada = await createPerson(client, 10);
    const statuses = async (calls: readonly (readonly [string, unknown, RequestInit?])[]): Promise<number[]> => {
      const found: number[] = [];
      for (const [path, body, init] of calls) found.push((await client.post(path, body, init)).status);
      return found;
    };
    const as = createWalletInit(ada.token);
    expect(
      await statuses([
        ['/profile', {}],
        ['/sign-up', { email: ada.email, name: 'Ada', password: PASSWORD }],
        ['/sign-up', { email: 'nowhere', name: '', password: 'x' }],
        ['/sign-up', '{'],
        ['/sign-up', '"text"'],
        ['/sign-up', 'x=1', { headers: { 'content-type': 'text/plain' } }],
        ['/sign-up', JSON.stringify({ email: 'x'.repeat(1_100_000) })],
        ['/sign-in', { email: createEmail(), password: PASSWORD }],
        ['/wallet/history/none', {}, as],
        ['/wallet/transfer', { to_email: createEmail(), amount: 99, pin: PIN }, as],
        ['/wallet/deposit', { amount: 0.5 }, as],
        ['/guest/rates', {}],
        ['/gallery/remove', ['gallery/other/x.png'], as],
        ['/gallery/add', {}, as],
        ['/profile/private', {}, as],
        ['/connect/callback', { state: 'x', code: 'good' }, as],
        ['/connect/account', {}, as],
        ...ROOMS.map((path) => [path, {}, as] as const),
      ]),
    ).to.deep.equal([
      401,
      409,
      422,
      400,
      422,
      415,
      413,
      401,
      404,
      409,
      422,
      503,
      422,
      422,
      404,
      410,
      404,
      ...ROOMS.map(() => 409),
    ]);
  });

  it('has a request for every operation', () => {
    const all = Object.keys(document['paths'] as object).map((path) => `POST ${path}`);
    expect([...validate.seen.keys()].sort()).to.deep.equal(all.sort());
    const isAnswered = (statuses: ReadonlySet<number>): boolean => statuses.has(200) || statuses.has(202);
    const answered = [...validate.seen].filter(([, statuses]) => isAnswered(statuses)).map(([label]) => label);
    const others = ['POST /guest/rates', ...ROOMS.map((path) => `POST ${path}`)];
    expect(all.filter((label) => !answered.includes(label))).to.have.members(others);
  });
});

describe('openapi of a real application', () => {
  let kernel: TestKernel | undefined;
  let remote: StandIn | undefined;
  let client: Client;
  before(async function () {
    if (!isAtHand) return skipTest(this, NO_SHARED);
    remote = await startRemoteStandIn();
    const { outbound } = remote;
    kernel = await startKernel({
      files: {
        'definitions/seeds.json': createSeeds().map((sql, index) => defineQueryResource(`seed-${index}`, sql)),
        ...remote.files,
      },
      config: {
        profile: 'sub0',
        websocket: { enabled: true },
        connections: { main: { use: 'pglite', path: 'memory://' } },
        outbound,
      },
      env: ENV,
      prepare: copyApplication,
    });
    for (const index of createSeeds().keys()) await kernel.post(`/seed-${index}`, {});
    const document = await describeKernel(kernel.kernel);
    expect(await listDocumentErrors(document)).to.equal('');
    const validate = createDocumentChecker(document);
    const all = checkAllCalls(kernel, validate);
    const known = new Set(Object.keys(document['paths'] as object));
    const bare = kernel;
    // Invalid resources are not in the document.
    client = { ...all, post: (path, ...rest) => (known.has(path) ? all : bare).post(path, ...rest) };
  });
  after(async () => {
    await kernel?.close();
    await remote?.upstream.close();
  });

  describeCalls(
    () => client,
    () => kernel?.url ?? '',
    () => {
      if (remote === undefined) throw new Error('nothing stands in');
      return remote.upstream;
    },
  );
});
