/** Access in the sample: attempts are counted, and a token ends with its sign-out. */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { copyQuickSample, SAMPLE_ENV } from '../support/project.js';
import { createWalletInit, PASSWORD, createPerson } from '../support/wallet.js';

describeOnDatabase('sample: access', { prepare: copyQuickSample, env: SAMPLE_ENV }, (kernel) => {
  const signIn = (email: string, password: string): Promise<Answer<Loose>> =>
    kernel().post('/sign-in', { email, password });

  it('allows ten attempts for a password, and returns when to retry; other callers are not affected', async function () {
    const [ada, bob] = [await createPerson(kernel()), await createPerson(kernel())];
    for (let left = 9; left >= 0; left--) {
      const { status, headers } = await signIn(ada.email, `wrong ${left}`);
      expect([status, headers.get('x-ratelimit-remaining')]).to.deep.equal([401, String(left)]);
    }
    const { status, body, headers } = await signIn(ada.email, PASSWORD);
    expect([status, body['code']]).to.deep.equal([429, 'LIM_EXCEEDED']);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 300);
    expect((await signIn(bob.email, PASSWORD)).status).to.equal(200);
  });

  it('revokes the token that signs out, and no other one of the same user', async () => {
    const ada = await createPerson(kernel());
    const other = String((await signIn(ada.email, PASSWORD)).body['token']);
    const out = await ada.post('/sign-out');
    expect([out.status, out.body], out.text).to.deep.equal([200, { invalidated: 1 }]);
    for (const path of ['/profile', '/gallery', '/connect/start', '/wallet/history', '/sign-out']) {
      const { status, body } = await ada.post(path);
      expect([status, body['code']], path).to.deep.equal([401, 'TOK_REFUSED']);
    }
    expect((await kernel().post('/profile', {}, createWalletInit(other))).status).to.equal(200);
    expect((await kernel().post('/sign-out')).status, 'without a token').to.equal(401);
  });
});
