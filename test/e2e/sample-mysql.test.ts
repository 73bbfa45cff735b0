/**
 * The whole sample on MariaDB and MySQL, with nothing but MYSQL_URL: money, ledger, payments, encrypted details, pictures' rows. What is
 * embedded lies in a database of its own beside it, and is not opened where nothing lies in it.
 */
import { expect } from 'chai';
import type { Loose } from '../support/client.js';
import { eventually } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { freshMysql, startMysql } from '../support/mysql.js';
import { copySample, SAMPLE_ENV } from '../support/project.js';
import { counted, person, PIN, type Person } from '../support/wallet.js';
import { hmac } from '../support/webhooks.js';

for (const flavour of ['mariadb', 'mysql'] as const) {
  describe(`sample: MYSQL_URL alone (${flavour})`, () => {
    let kernel: TestKernel | undefined;
    let url = '';
    let ada: Person;
    let bob: Person;
    before(async function () {
      this.timeout(120_000);
      const server = await startMysql(flavour);
      if ('skip' in server) return this.skip();
      url = await freshMysql(flavour);
      kernel = await startKernel({ prepare: copySample, env: { ...SAMPLE_ENV, MYSQL_URL: url } });
      [ada, bob] = [await person(kernel, 100), await person(kernel)];
    });
    after(() => kernel?.close());

    it('moves money: many at once are all counted, and a transfer is whole', async function () {
      this.timeout(60_000);
      const deposits = await Promise.all(Array.from({ length: 30 }, () => ada.post('/wallet/deposit', { amount: 10 })));
      expect(counted(deposits, 200)).to.deep.equal([30]);
      const send = (amount: number) => ada.post('/wallet/transfer', { to_email: bob.email, amount, pin: PIN });
      expect((await send(401)).status).to.equal(409);
      const sent = await send(150);
      expect(sent.status, sent.text).to.equal(200);
      expect(sent.body).to.include({ amount: -150, balance_after: 250 });
      expect([await ada.balance(), await bob.balance()]).to.deep.equal([250, 150]);
      const { body } = await ada.post('/wallet/summary');
      expect(body).to.include({ balance: 250, movements: 32, came: 400, went: 150 });
    });

    it('imports once, and finds words', async () => {
      const entries = [{ reference: 'r1', amount: 5, note: 'an old book' }];
      const came = await bob.post<readonly Loose[]>('/wallet/import', { entries });
      expect(came.body.map(({ reference }) => reference)).to.deep.equal(['r1']);
      expect((await bob.post('/wallet/import', { entries })).status).to.equal(409);
      const found = await bob.post<readonly Loose[]>('/wallet/search', { words: 'book' });
      expect(found.body.map(({ note }) => note)).to.deep.equal(['an old book']);
    });

    it('writes rows that may be there already: details, rates', async () => {
      const update = (body: Loose) => bob.post('/profile/private/update', body);
      expect((await update({ phone: '+31 20 555' })).status).to.equal(200);
      expect((await update({ tax_number: 'NL12345' })).status).to.equal(200);
      expect((await bob.post('/profile/private')).body).to.include({ phone: '+31 20 555', tax_number: 'NL12345' });
      const changed = await bob.post('/profile/update', { interests: ['tea', 'sea'] });
      expect(changed.body['interests']).to.deep.equal(['tea', 'sea']);
    });

    it('does work behind the answer: a payment moves money once, and the activity is written', async () => {
      if (kernel === undefined) throw new Error('the kernel is not running');
      const before = Number(await bob.balance());
      const body = JSON.stringify({ event: `evt_${flavour}_1`, wallet: bob.id, amount: 70 });
      const headers = { 'x-payment-signature': hmac(body, SAMPLE_ENV.PAYMENT_SECRET) };
      for (let n = 0; n < 2; n++)
        expect((await kernel.post('/payments/webhook', JSON.parse(body), { headers })).status).to.equal(202);
      await eventually(
        () => bob.balance(),
        (balance) => balance === before + 70,
      );
      await eventually(
        async () => (await kernel?.kernel.desks()[0]?.list({}))?.length,
        (length) => length === 0,
      );
      expect(await bob.balance()).to.equal(before + 70);
      const read = await bob.post<readonly Loose[]>('/activity', { limit: 10 });
      expect(read.body.map(({ kind }) => kind)).to.deep.equal(['received']);
    });

    it('closes a wallet', async () => {
      expect((await bob.post('/profile/close')).status).to.equal(200);
      expect((await bob.post('/profile')).status).to.equal(404);
    });

    it('opens no embedded database where nothing lies in it', async () => {
      const query = { query: 'SELECT 1 AS one', parameters: [] };
      const files = {
        'definitions/one.json': {
          id: 'one',
          resource: 'one',
          actionables: [{ id: 1, mode: 'QUERY', sql_query: query }],
        },
      };
      const plain = await startKernel({ files, env: { MYSQL_URL: url } });
      try {
        expect((await plain.post('/one')).body).to.deep.equal({ one: 1 });
        expect(plain.log.filter(({ message }) => message.includes('PGlite'))).to.deep.equal([]);
        const status = await (await fetch(`${plain.url}/status`)).text();
        expect(status).to.include('dialect:mysql').and.not.include('pglite');
      } finally {
        await plain.close();
      }
    });
  });
}
