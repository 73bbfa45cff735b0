/** Background work of the sample: mail through another service, and schedules. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { waitForValue } from '../support/jobs.js';
import { describeOnDatabase } from '../support/kernel.js';
import { copyQuickSample, defineQueryResource, SAMPLE_ENV } from '../support/project.js';
import { createJsonBehaviour, startUpstream, type Behaviour } from '../support/upstream.js';
import { createPerson } from '../support/wallet.js';

/** Of the next request; then all is well again. */
const trouble: Behaviour[] = [];
const mail = await startUpstream((req, res, asked) =>
  (trouble.shift() ?? createJsonBehaviour({ queued: true }))(req, res, asked),
);
const env = { ...SAMPLE_ENV, MAIL_URL: `${mail.url}/send` };
const config = { outbound: { allow: [`127.0.0.1:${mail.port}`] } };

describe('sample: work', () => {
  after(() => mail.close());
  beforeEach(() => {
    mail.requests.length = 0;
  });

  describeOnDatabase('mail', { prepare: copyQuickSample, env, config }, (kernel) => {
    const waitForMail = (count: number): Promise<unknown> =>
      waitForValue(
        () => mail.requests.length,
        (length) => length >= count,
      );
    const idle = (): Promise<unknown> =>
      waitForValue(
        async () => (await kernel().kernel.listJobAdmins()[0]?.list({})) ?? [],
        ({ length }) => length === 0,
      );

    it('is sent after the response, with the address and the entries of the caller', async () => {
      const ada = await createPerson(kernel(), 75);
      const { status, body, text } = await ada.post('/wallet/statement/mail', { to: 'eve@example.com' });
      expect([status, body['accepted']], text).to.deep.equal([202, true]);
      await waitForMail(1);
      const [asked] = mail.requests;
      expect(asked?.url).to.equal('/send');
      expect(asked?.headers.authorization).to.equal(`Bearer ${SAMPLE_ENV.MAIL_KEY}`);
      expect(asked?.headers['idempotency-key']).to.equal(body['id']);
      const message = JSON.parse(asked?.body ?? '{}') as Loose;
      expect(message).to.include({ to: ada.email, subject: 'Wallet of Ada Lovelace' });
      expect((message['entries'] as readonly Loose[])[0]).to.include({ kind: 'deposit', amount: 75 });
      await idle();
    });

    it('is sent again, with the same id, after the other service was unavailable', async function () {
      const ada = await createPerson(kernel());
      trouble.push(createJsonBehaviour({}, 503));
      expect((await ada.post('/wallet/statement/mail')).status).to.equal(202);
      await waitForMail(2);
      const [first, second] = mail.requests.map(({ headers }) => headers['idempotency-key']);
      expect(first).to.be.a('string').and.to.equal(second);
      await idle();
    });

    it('is rejected without a token, and beyond its limit', async () => {
      const ada = await createPerson(kernel());
      expect((await kernel().post('/wallet/statement/mail')).status).to.equal(401);
      for (let n = 0; n < 5; n++) expect((await ada.post('/wallet/statement/mail')).status).to.equal(202);
      expect((await ada.post('/wallet/statement/mail')).status).to.equal(429);
      await idle();
      expect(mail.requests).to.have.lengthOf(5);
    });
  });

  /** The nights of the sample, each a second long. */
  const hurried = async (folder: string): Promise<void> => {
    await copyQuickSample(folder);
    const file = join(folder, 'definitions', 'resources', 'nightly.resource.json');
    const text = await readFile(file, 'utf8');
    await writeFile(file, text.replace(/"execution_interval": "[^"]+"/g, '"execution_interval": "* * * * * *"'));
  };
  const files = {
    'definitions/peek.json': [
      defineQueryResource('states', 'SELECT state FROM _connect_states WHERE user_id = $1', ['$PAYLOAD.id'], {
        result: 'many',
      }),
      defineQueryResource(
        'age-state',
        "UPDATE _connect_states SET expires_at = expires_at - interval '11 minutes' WHERE true",
      ),
      defineQueryResource(
        'age-rate',
        "UPDATE _rates SET updated_at = updated_at - interval '31 days' WHERE currency = $1",
        ['$PAYLOAD.currency'],
      ),
    ],
  };

  describeOnDatabase('nightly schedules', { prepare: hurried, env, files }, (kernel) => {
    it('remove only abandoned sign-ins', async () => {
      const [late, quick] = [await createPerson(kernel()), await createPerson(kernel())];
      const states = async (id: string): Promise<number> =>
        (await kernel().post<Loose[]>('/states', { id })).body.length;
      await late.post('/connect/start');
      await kernel().post('/age-state');
      await quick.post('/connect/start');
      await waitForValue(
        () => states(late.id),
        (count) => count === 0,
      );
      expect(await states(quick.id)).to.equal(1);
    });

    it('remove old rates, also after they were read', async () => {
      const rates = async (): Promise<unknown[]> =>
        (await kernel().post<readonly Loose[]>('/rates')).body.map(({ currency }) => currency);
      const brought = [
        { currency: 'USD', rate: 1 },
        { currency: 'CHF', rate: 1 },
      ];
      const token = { headers: { 'x-rates-token': SAMPLE_ENV.RATES_TOKEN } };
      expect((await kernel().post('/rates/update', { rates: brought }, token)).status).to.equal(200);
      expect(await rates()).to.deep.equal(['CHF', 'USD']);
      await kernel().post('/age-rate', { currency: 'CHF' });
      await waitForValue(rates, (left) => left.length === 1);
      expect(await rates()).to.deep.equal(['USD']);
    });

    it('cannot be started by requests', async () => {
      expect((await kernel().post('/nightly')).status).to.equal(404);
    });
  });
});
