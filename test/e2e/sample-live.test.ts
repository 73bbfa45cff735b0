/** The sample for socket clients: movements in a wallet, the support chat, announcements. */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { copyQuickSample, SAMPLE_ENV } from '../support/project.js';
import { connect, expectRejectedUpgrade, type Frame, type SocketClient } from '../support/sockets.js';
import { createPerson, PIN, type Person } from '../support/wallet.js';
import { signHmac } from '../support/webhooks.js';

describeOnDatabase('sample: live', { prepare: copyQuickSample, env: SAMPLE_ENV }, (kernel) => {
  const clients: SocketClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  /** A screen of this person. */
  async function screen({ id, token }: Person): Promise<SocketClient> {
    const client = await connect(kernel().url, { query: `?uid=${id}`, protocols: ['Authorization', token] });
    clients.push(client);
    return client;
  }
  const waitForAction = (client: SocketClient, action: string): Promise<Frame> =>
    client.next((frame) => frame.action === action);
  const staff = (path: string, body: Loose, token: string = SAMPLE_ENV.STAFF_TOKEN): Promise<Answer<Loose>> =>
    kernel().post(path, body, { headers: { 'x-staff-token': token } });
  const transfer = (from: Person, to: Person, amount: number): Promise<Answer<Loose>> =>
    from.post('/wallet/transfer', { to_email: to.email, amount, pin: PIN, note: 'for tea' });

  it('requires connections with the token of their uid', async () => {
    const [ada, bob] = [await createPerson(kernel()), await createPerson(kernel())];
    const wrong = await connect(kernel().url, { query: `?uid=${bob.id}`, protocols: ['Authorization', ada.token] });
    expect((await wrong.next()).error).to.include({ status: 401 });
    expect((await wrong.closed).code).to.equal(4401);
    const plain = await connect(kernel().url);
    clients.push(plain);
    expect((await plain.sendRequest('wallet/watch')).error).to.include({ code: 'TOK_REFUSED' });
    const origin = { headers: { origin: 'https://elsewhere.example' } };
    expect((await expectRejectedUpgrade(kernel().url, origin)).status).to.equal(403);
  });

  describe('money', () => {
    it('that is sent notifies the recipient on all screens and both watchers, and no other client', async () => {
      const [ada, bob, eve] = [
        await createPerson(kernel(), 100),
        await createPerson(kernel()),
        await createPerson(kernel()),
      ];
      const [ours, phone, tablet, other] = await Promise.all([screen(ada), screen(bob), screen(bob), screen(eve)]);
      for (const one of [ours, phone, other]) expect((await one.sendRequest('wallet/watch')).error).to.equal(undefined);
      expect((await transfer(ada, bob, 40)).status).to.equal(200);
      for (const one of [phone, tablet]) {
        const { uid, data } = await waitForAction(one, 'money_received');
        expect(uid).to.equal(bob.id);
        expect(data)
          .to.include({ amount: 40, note: 'for tea' })
          .and.to.have.all.keys('id', 'amount', 'note', 'created_at');
      }
      expect((await waitForAction(phone, 'balance_changed')).data).to.deep.equal({ balance: 40 });
      expect((await waitForAction(ours, 'balance_changed')).data).to.deep.equal({ balance: 60 });
      // A message to all arrives after earlier messages.
      expect((await staff('/announce/all', { text: 'the end' })).status).to.equal(200);
      for (const one of [ours, tablet, other]) {
        await waitForAction(one, 'announcement');
        expect(one.frames).to.deep.equal([]);
      }
    });

    it('that cannot be sent notifies no client', async () => {
      const [ada, bob] = [await createPerson(kernel(), 10), await createPerson(kernel())];
      const screens = [await screen(ada), await screen(bob)];
      for (const one of screens) await one.sendRequest('wallet/watch');
      expect((await transfer(ada, bob, 11)).status).to.equal(409);
      await staff('/announce/all', { text: 'the end' });
      for (const one of screens) expect((await one.next()).action).to.equal('announcement');
    });

    it('that is paid in notifies until the connection stops watching', async () => {
      const ada = await createPerson(kernel());
      const here = await screen(ada);
      expect((await here.sendRequest('wallet/watch')).data).to.deep.equal({ balance: 0 });
      expect((await here.sendRequest('wallet/deposit', { amount: 5 })).data).to.include({
        amount: 5,
        balance_after: 5,
      });
      expect((await waitForAction(here, 'balance_changed')).data).to.deep.equal({ balance: 5 });
      expect((await here.sendRequest('wallet/unwatch')).data).to.deep.equal({ left: true });
      await ada.post('/wallet/deposit', { amount: 5 });
      await staff('/announce/all', { text: 'the end' });
      expect((await here.next()).action).to.equal('announcement');
    });

    it('of the payment service is reported after it is stored, with the number of deliveries', async () => {
      const ada = await createPerson(kernel());
      const here = await screen(ada);
      await here.sendRequest('wallet/watch');
      const body = JSON.stringify({ event: 'evt_live_0001', wallet: ada.id, amount: 700 });
      const signed = { headers: { 'x-payment-signature': `sha256=${signHmac(body, SAMPLE_ENV.PAYMENT_SECRET)}` } };
      for (const deliveries of [1, 2]) {
        expect((await kernel().post('/payments/webhook', body, signed)).status).to.equal(202);
        const payment = { id: 'evt_live_0001', amount: 700, deliveries };
        expect((await waitForAction(here, 'payment')).data).to.deep.equal(payment);
        expect((await waitForAction(here, 'balance_changed')).data).to.deep.equal({ balance: 700 });
      }
    });
  });

  describe('support', () => {
    it('is a separate room for each wallet, with the earlier messages', async () => {
      const [ada, bob] = [await createPerson(kernel()), await createPerson(kernel())];
      const [hers, his] = [await screen(ada), await screen(bob)];
      expect((await hers.sendRequest('support/join')).data).to.deep.equal([]);
      await his.sendRequest('support/join');
      expect((await hers.sendRequest('support/say', { text: 'Where is my money?' })).error).to.equal(undefined);
      expect((await waitForAction(hers, 'support_message')).data).to.include({
        staff: false,
        text: 'Where is my money?',
      });
      expect((await staff('/support/answer', { wallet: ada.id, text: 'On its way.' })).status).to.equal(200);
      expect((await waitForAction(hers, 'support_message')).data).to.include({ staff: true, text: 'On its way.' });
      expect((await hers.sendRequest('support/leave')).data).to.deep.equal({ left: true });
      await staff('/support/answer', { wallet: ada.id, text: 'Still there?' });
      await staff('/announce/all', { text: 'the end' });
      for (const one of [hers, his]) expect((await one.next()).action).to.equal('announcement');
      const again = (await (await screen(ada)).sendRequest('support/join')).data as readonly Loose[];
      expect(again.map(({ text }) => text)).to.deep.equal(['Still there?', 'On its way.', 'Where is my money?']);
    });

    it('needs a connection to join, a token to write, and the secret of the staff to reply', async () => {
      const ada = await createPerson(kernel());
      expect((await ada.post('/support/join')).body['code']).to.equal('WS_NO_CONNECTION');
      expect((await kernel().post('/support/say', { text: 'hello' })).status).to.equal(401);
      for (const token of ['', ada.token, SAMPLE_ENV.RATES_TOKEN]) {
        expect((await staff('/support/answer', { wallet: ada.id, text: 'x' }, token)).status).to.equal(401);
        expect((await staff('/announce', { wallets: [ada.id], text: 'x' }, token)).status).to.equal(401);
      }
      const nobody = await staff('/support/answer', { wallet: '0'.repeat(26), text: 'x' });
      expect([nobody.status, nobody.body['detail']]).to.deep.equal([404, 'There is no such wallet.']);
    });
  });

  it('announces to the named wallets, each screen once', async () => {
    const people = [await createPerson(kernel()), await createPerson(kernel()), await createPerson(kernel())];
    const [first, second, third] = await Promise.all(people.map((one) => screen(one)));
    const wallets = [people[0], people[1], people[0]].map((one) => one?.id);
    const reported = await staff('/announce', { wallets, text: 'closed on Sunday' });
    expect([reported.status, reported.body['text']]).to.deep.equal([200, 'closed on Sunday']);
    await staff('/announce/all', { text: 'the end' });
    const texts = async (one: SocketClient | undefined): Promise<unknown[]> => {
      const received: unknown[] = [];
      while (received.at(-1) !== 'the end') received.push(((await one?.next())?.data as Loose)['text']);
      return received;
    };
    const both = ['closed on Sunday', 'the end'];
    expect(await Promise.all([first, second, third].map(texts))).to.deep.equal([both, both, ['the end']]);
  });
});
