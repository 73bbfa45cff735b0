/** Connecting an account of another service in the sample; the other service is a stub on this machine. */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnDatabase, startKernel } from '../support/kernel.js';
import { copyQuickSample, defineQueryResource, SAMPLE_ENV } from '../support/project.js';
import { ACCESS_TOKEN, startProvider } from '../support/provider.js';
import { countStatuses, createPerson, type Person } from '../support/wallet.js';

const provider = await startProvider();
const { upstream, outbound } = provider;
const env = { ...SAMPLE_ENV, ...provider.env };
const files = {
  'definitions/peek.json': [
    {
      ...defineQueryResource('peek', 'SELECT access_token FROM _connections WHERE user_id = $1', ['$PAYLOAD.id']),
      returnables: ['access_token'],
    },
    defineQueryResource(
      'age',
      "UPDATE _connect_states SET expires_at = expires_at - interval '11 minutes' WHERE user_id = $1",
      ['$PAYLOAD.id'],
    ),
  ],
};

describe('sample: connect', () => {
  after(() => upstream.close());

  describeOnDatabase(
    'with the other service',
    { prepare: copyQuickSample, env, files, config: { outbound } },
    (kernel) => {
      let ada: Person;
      beforeEach(async () => {
        ada = await createPerson(kernel());
        upstream.requests.length = 0;
      });
      const start = async (who: Person): Promise<string> => String((await who.post('/connect/start')).body['state']);
      const postCallback = (who: Person, state: string, code = 'good'): Promise<Answer<Loose>> =>
        who.post('/connect/callback', { state, code });

      it('starts with a URL of the other service, and a state that is valid for ten minutes', async () => {
        const { status, body, text } = await ada.post('/connect/start');
        expect(status, text).to.equal(200);
        expect(body['state']).to.match(/^[\w-]{21}$/);
        const url = new URL(String(body['url']));
        expect(url.origin + url.pathname).to.equal(provider.env['OAUTH_AUTHORIZE_URL']);
        expect(Object.fromEntries(url.searchParams)).to.deep.equal({
          response_type: 'code',
          client_id: SAMPLE_ENV.OAUTH_CLIENT_ID,
          state: body['state'],
        });
        const left = Date.parse(String(body['expires_at'])) - Date.now();
        expect(left).to.be.within(590_000, 601_000);
      });

      it('exchanges the code with the client secret, and stores the token as ciphertext', async () => {
        const { status, body, text } = await postCallback(ada, await start(ada));
        expect(status, text).to.equal(200);
        expect(Object.keys(body)).to.deep.equal(['updated_at']);
        expect(upstream.requests).to.have.lengthOf(1);
        expect(Object.fromEntries(new URLSearchParams(upstream.requests[0]?.body))).to.deep.equal({
          grant_type: 'authorization_code',
          code: 'good',
          client_id: SAMPLE_ENV.OAUTH_CLIENT_ID,
          client_secret: SAMPLE_ENV.OAUTH_CLIENT_SECRET,
        });
        const kept = (await kernel().post('/peek', { id: ada.id })).text;
        expect(kept).to.contain('access_token').and.not.contain(ACCESS_TOKEN);
        const account = await ada.post('/connect/account');
        expect(account.body, account.text).to.deep.equal({ id: 'p-1', name: 'Ada there' });
        expect(upstream.requests[1]?.headers.authorization).to.equal(`Bearer ${ACCESS_TOKEN}`);
      });

      it('replaces the token of an account that is connected again', async () => {
        await postCallback(ada, await start(ada));
        expect((await postCallback(ada, await start(ada), 'again')).status).to.equal(200);
        await ada.post('/connect/account');
        expect(upstream.requests.at(-1)?.headers.authorization).to.equal(`Bearer ${ACCESS_TOKEN}-2`);
      });

      it('accepts a state once, also of ten concurrent requests', async () => {
        const state = await start(ada);
        const answers = await Promise.all(Array.from({ length: 10 }, () => postCallback(ada, state)));
        expect(countStatuses(answers, 200, 410)).to.deep.equal([1, 9]);
        expect(upstream.requests).to.have.lengthOf(1);
      });

      it('rejects a state that is old, replaced, invalid or of another user, and calls no service', async () => {
        const bob = await createPerson(kernel());
        const old = await start(ada);
        const newer = await start(ada);
        const his = await start(bob);
        for (const state of [old, his, 'x', newer.toLowerCase() + 'x']) {
          const { status, body } = await postCallback(ada, state);
          expect([status, body['code']], state).to.deep.equal([410, 'ACT_NO_VALUE']);
        }
        await kernel().post('/age', { id: ada.id });
        expect((await postCallback(ada, newer)).status, 'ten minutes later').to.equal(410);
        expect(upstream.requests).to.deep.equal([]);
        expect((await postCallback(bob, his)).status, 'still his').to.equal(200);
      });

      for (const [code, status, problem] of [
        ['denied', 502, 'OUT_STATUS'],
        ['broken', 502, 'OUT_UNREADABLE'],
        ['empty', 422, 'DEP_UNRESOLVED'],
      ] as const) {
        it(`returns ${status} for the code "${code}"; the state is used and nothing is stored`, async () => {
          const state = await start(ada);
          const { status: reported, body, text } = await postCallback(ada, state, code);
          expect([reported, body['code']], text).to.deep.equal([status, problem]);
          expect(text).to.not.contain('canary').and.not.contain('invalid_grant');
          expect((await postCallback(ada, state)).status).to.equal(410);
          const account = await ada.post('/connect/account');
          expect([account.status, account.body['detail']]).to.deep.equal([404, 'No account is connected yet.']);
        });
      }

      it('requires a token of this service everywhere', async () => {
        for (const path of ['/connect/start', '/connect/callback', '/connect/account'])
          expect((await kernel().post(path, { state: 'x', code: 'good' })).status, path).to.equal(401);
      });

      it('the log contains no token of the other service and no secret of this one', async () => {
        await postCallback(ada, await start(ada));
        await ada.post('/connect/account');
        const log = JSON.stringify(kernel().log);
        for (const secret of [ACCESS_TOKEN, SAMPLE_ENV.OAUTH_CLIENT_SECRET]) expect(log).to.not.contain(secret);
      });
    },
  );

  it('serves the other resources without the other service, and a callback gets 502 with a message', async function () {
    const kernel = await startKernel({
      prepare: copyQuickSample,
      env: SAMPLE_ENV,
      // A port without a listener: no name is resolved.
      config: {
        connections: { main: { use: 'pglite', path: 'memory://' } },
        outbound: { connect_to: { 'login.provider.example:443': '127.0.0.1:1' } },
      },
    });
    try {
      const ada = await createPerson(kernel);
      const { body: started } = await ada.post('/connect/start');
      const { status, body } = await ada.post('/connect/callback', { state: started['state'], code: 'good' });
      expect([status, body['code']]).to.deep.equal([502, 'OUT_FAILED']);
      expect(body['detail']).to.equal('Another service could not be reached.');
    } finally {
      await kernel.close();
    }
  });
});
