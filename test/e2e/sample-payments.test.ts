/**
 * Webhooks of the sample over real HTTP: payments are accepted immediately and move money once, rates are accepted only
 * from our job.
 */
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { waitForValue } from '../support/jobs.js';
import { copyQuickSample, defineQueryResource, SAMPLE_ENV } from '../support/project.js';
import { createWalletInit, countStatuses, createPerson, type Person } from '../support/wallet.js';
import { signHmac } from '../support/webhooks.js';

const { PAYMENT_SECRET, RATES_TOKEN } = SAMPLE_ENV;

const files = {
  'definitions/peek.json': defineQueryResource('peek', 'SELECT deliveries FROM _payments WHERE id = $1', [
    '$PAYLOAD.event',
  ]),
};

describeOnDatabase('sample: payments', { prepare: copyQuickSample, env: SAMPLE_ENV, files }, (kernel) => {
  let ada: Person;
  beforeEach(async () => {
    ada = await createPerson(kernel(), 100);
  });
  const eventFor = (who: Person, rest: Loose = {}): Loose => ({
    event: `evt_${randomUUID()}`,
    wallet: who.id,
    amount: 2500,
    note: 'order 7',
    ...rest,
  });
  const deliver = (event: unknown, key = PAYMENT_SECRET): Promise<Answer<Loose>> => {
    const body = JSON.stringify(event);
    return kernel().post('/payments/webhook', body, {
      headers: { 'x-payment-signature': `sha256=${signHmac(body, key)}` },
    });
  };
  const history = async (who: Person): Promise<readonly Loose[]> =>
    (await who.post<readonly Loose[]>('/wallet/history')).body;
  const deliveries = async (event: Loose): Promise<unknown> =>
    (await kernel().post<Loose | null>('/peek', { event: event['event'] })).body?.['deliveries'];
  /** All that was accepted for this event is done. */
  const counts = (event: Loose, times: number): Promise<unknown> =>
    waitForValue(
      () => deliveries(event),
      (counted) => counted === times,
    );

  it('that is signed is accepted, then moves money to the wallet and writes an entry to the ledger', async () => {
    const event = eventFor(ada);
    const { status, body, text } = await deliver(event);
    expect([status, Object.keys(body).sort()], text).to.deep.equal([202, ['accepted', 'id']]);
    await counts(event, 1);
    expect(await ada.balance()).to.equal(2600);
    const [entry] = await history(ada);
    expect(entry).to.include({ kind: 'payment', amount: 2500, balance_after: 2600, note: 'order 7' });
  });

  it('that is delivered again is accepted, counted, and moves nothing', async () => {
    const event = eventFor(ada);
    for (const times of [1, 2, 3]) {
      expect((await deliver(event)).status).to.equal(202);
      await counts(event, times);
    }
    expect((await deliver({ ...event, amount: 9999 })).status, 'same number, other amount').to.equal(202);
    await counts(event, 4);
    expect([await ada.balance(), (await history(ada)).length]).to.deep.equal([2600, 2]);
  });

  it('that is delivered twenty times concurrently moves money once', async function () {
    const event = eventFor(ada);
    const answers = await Promise.all(Array.from({ length: 20 }, () => deliver(event)));
    expect(countStatuses(answers, 202)).to.deep.equal([20]);
    await counts(event, 20);
    expect([await ada.balance(), (await history(ada)).length]).to.deep.equal([2600, 2]);
  });

  it('concurrent with deposits of the owner: every cent is counted', async function () {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        i % 2 ? deliver(eventFor(ada)) : ada.post('/wallet/deposit', { amount: 1 }),
      ),
    );
    expect(countStatuses(answers, 200, 202)).to.deep.equal([10, 10]);
    const all = 100 + 10 * 2500 + 10;
    expect(
      await waitForValue(
        () => ada.balance(),
        (balance) => balance === all,
      ),
    ).to.equal(all);
  });

  it('without a signature, with another key, or with other bytes is rejected, and nothing moves', async () => {
    const event = eventFor(ada);
    const signature = signHmac(JSON.stringify(event), PAYMENT_SECRET);
    const tries = [
      await kernel().post('/payments/webhook', event),
      await kernel().post('/payments/webhook', event, createWalletInit(ada.token)),
      await deliver(event, RATES_TOKEN),
      await kernel().post(
        '/payments/webhook',
        { ...event, amount: 5 },
        { headers: { 'x-payment-signature': signature } },
      ),
      await kernel().post('/payments/webhook', event, { headers: { 'x-payment-signature': `sha1=${signature}` } }),
    ];
    for (const { status, body } of tries) expect([status, body['code']]).to.deep.equal([401, 'WHK_REFUSED']);
    expect(await ada.balance()).to.equal(100);
  });

  it('for a missing or closed wallet is stored with its reason, and moves nothing', async () => {
    const waitForJob = (id: unknown): Promise<unknown> =>
      waitForValue(
        async () => (await kernel().kernel.listJobAdmins()[0]?.show(String(id)))?.view ?? null,
        (view) => view?.state === 'dead',
      ).then((view) => view?.failure?.code);
    const unknown = await deliver(eventFor(ada, { wallet: '0'.repeat(26) }));
    expect([unknown.status, await waitForJob(unknown.body['id'])]).to.deep.equal([202, 'QRY_NOT_NULL']);
    const event = eventFor(ada);
    await ada.post('/profile/close');
    const late = await deliver(event);
    expect([late.status, await waitForJob(late.body['id'])]).to.deep.equal([202, 'QRY_NOT_NULL']);
    expect(await deliveries(event)).to.equal(undefined);
  });

  it('with fields that break rules names them, for every signer', async () => {
    const { status, body } = await deliver({ event: 'x', wallet: ada.id, amount: -5 });
    expect(status).to.equal(422);
    expect((body['errors'] as readonly Loose[]).map(({ pointer }) => pointer)).to.deep.equal(['/event', '/amount']);
  });
});

describeOnDatabase('sample: rates', { prepare: copyQuickSample, env: SAMPLE_ENV }, (kernel) => {
  const bring = (rates: unknown, token: string = RATES_TOKEN): Promise<Answer<unknown>> =>
    kernel().post('/rates/update', { rates }, { headers: { 'x-rates-token': token } });
  const rates = async (): Promise<readonly Loose[]> => (await kernel().post<readonly Loose[]>('/rates')).body;

  it('are none, then those of the job, immediately also after they were read', async () => {
    expect(await rates()).to.deep.equal([]);
    const { status, text } = await bring([
      { currency: 'usd', rate: 1.08 },
      { currency: 'CHF', rate: 0.95 },
    ]);
    expect(status, text).to.equal(200);
    expect((await rates()).map(({ currency, rate }) => [currency, rate])).to.deep.equal([
      ['CHF', 0.95],
      ['USD', 1.08],
    ]);
    await bring([{ currency: 'USD', rate: 1.1 }]);
    expect((await rates())[1]).to.include({ currency: 'USD', rate: 1.1 });
  });

  it('are accepted only from the partner, all or none', async () => {
    const before = await rates();
    for (const token of ['', SAMPLE_ENV.PAYMENT_SECRET, `${RATES_TOKEN}x`]) {
      expect((await bring([{ currency: 'EUR', rate: 9 }], token)).status).to.equal(401);
    }
    expect((await bring([{ currency: 'SEK', rate: 11 }, { currency: 'KRONE' }])).status).to.equal(422);
    expect((await bring([])).status).to.equal(422);
    expect(await rates()).to.deep.equal(before);
  });
});
