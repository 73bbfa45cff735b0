/** The sample over real HTTP: what no response and no log line may contain. `definitions/tests` has what it does. */
import { expect } from 'chai';
import { describeOnDatabase } from '../support/kernel.js';
import { copyQuickSample, SAMPLE_ENV } from '../support/project.js';
import { ACCESS_TOKEN, startProvider } from '../support/provider.js';
import { createPerson, PASSWORD, PIN } from '../support/wallet.js';

/** Everything that must never be in a response. */
const SECRETS = /\$2b\$|\$argon2|"password"|"pin"|correct horse/;

const { upstream, env, outbound } = await startProvider();

describe('sample', () => {
  after(() => upstream.close());
  const setup = { prepare: copyQuickSample, env: { ...SAMPLE_ENV, ...env }, config: { outbound } };

  describeOnDatabase('secrets', setup, (kernel) => {
    it('are in no response and no log line, for every endpoint', async () => {
      const [user, other] = [await createPerson(kernel(), 100), await createPerson(kernel())];
      const own = { name: 'Grace', password: PASSWORD, email: user.email, pin: PIN };
      const everything = { ...own, to_email: other.email, amount: 1, words: 'note' };
      const paths = [...kernel().kernel.plans().byId.values()].map(({ path }) => path.replace(':entry', 'x'));
      expect(paths).to.have.length.greaterThan(15);
      for (const path of paths.filter((name) => name !== 'profile/close')) {
        const { text } = await user.post(`/${path}`, everything);
        expect(text, path).not.to.match(SECRETS);
      }
      expect(JSON.stringify(kernel().log)).not.to.match(SECRETS);
    });

    it('of the other service are in no response and no log line, also where it denies a code', async () => {
      const ada = await createPerson(kernel());
      for (const [code, status] of [
        ['denied', 502],
        ['good', 200],
      ] as const) {
        const { state } = (await ada.post('/connect/start')).body;
        const answer = await ada.post('/connect/callback', { state, code });
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.text).to.not.contain('canary').and.not.contain('invalid_grant');
      }
      expect((await ada.post('/connect/account')).body).to.deep.equal({ id: 'p-1', name: 'Ada there' });
      const log = JSON.stringify(kernel().log);
      for (const secret of [ACCESS_TOKEN, SAMPLE_ENV.OAUTH_CLIENT_SECRET]) expect(log).to.not.contain(secret);
    });
  });
});
