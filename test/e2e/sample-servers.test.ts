/**
 * The sample on PostgreSQL, MariaDB and MySQL, with only the URL of the server: concurrent requests, ledger, payments,
 * encrypted details, rows of pictures. Embedded data is in a separate database next to the MySQL servers, and is not
 * opened if it is not used.
 */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { waitForValue } from '../support/jobs.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { createMysqlDatabase, startMysql } from '../support/mysql.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { copyQuickSample, SAMPLE_ENV } from '../support/project.js';
import { startProvider } from '../support/provider.js';
import { skipTest } from '../support/skip.js';
import { countStatuses, expectAll, createEmail, PASSWORD, createPerson, PIN, type Person } from '../support/wallet.js';
import { signHmac } from '../support/webhooks.js';

const SERVERS = [
  {
    name: 'postgres',
    variable: 'DATABASE_URL',
    start: startPostgres,
    fresh: createPostgresDatabase,
    dialect: 'postgres',
  },
  ...(['mariadb', 'mysql'] as const).map((name) => ({
    name,
    variable: 'MYSQL_URL',
    start: () => startMysql(name),
    fresh: () => createMysqlDatabase(name),
    dialect: 'mysql',
  })),
] as const;

const atOnce = <T>(times: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: times }, (_, index) => work(index)));

for (const { name, variable, start, fresh, dialect } of SERVERS) {
  describe(`sample: ${variable} alone (${name})`, function () {
    let kernel!: TestKernel;
    let url = '';
    let ada: Person;
    let bob: Person;
    before(async function () {
      const server = await start();
      if ('skip' in server) return skipTest(this, server.skip);
      url = await fresh();
      const { upstream, env, outbound } = await startProvider();
      provider = upstream;
      kernel = await startKernel({
        prepare: copyQuickSample,
        env: { ...SAMPLE_ENV, ...env, [variable]: url },
        config: { outbound },
      });
      [ada, bob] = [await createPerson(kernel, 100), await createPerson(kernel)];
    });
    let provider: Awaited<ReturnType<typeof startProvider>>['upstream'] | undefined;
    after(async () => {
      await kernel?.close();
      await provider?.close();
    });
    const send = (from: Person, to: Person, amount: number): Promise<Answer<Loose>> =>
      from.post('/wallet/transfer', { to_email: to.email, amount, pin: PIN });

    it('counts all of many concurrent deposits, and each entry follows the previous one', async () => {
      const deposits = await atOnce(30, () => ada.post('/wallet/deposit', { amount: 10 }));
      expectAll(deposits, 200);
      const entries = (await ada.post<readonly Loose[]>('/wallet/history')).body;
      const balances = entries.map((entry) => Number(entry['balance_after']));
      expect(balances).to.deep.equal(Array.from({ length: 31 }, (_, i) => 400 - 10 * i));
    });

    it('makes a transfer completely, and rejects it if the balance is too low', async () => {
      expect((await send(ada, bob, 401)).status).to.equal(409);
      const sent = await send(ada, bob, 150);
      expect(sent.status, sent.text).to.equal(200);
      expect(sent.body).to.include({ amount: -150, balance_after: 250 });
      expect([await ada.balance(), await bob.balance()]).to.deep.equal([250, 150]);
      const { body } = await ada.post('/wallet/summary');
      expect(body).to.include({ balance: 250, movements: 32, came: 400, went: 150 });
    });

    it('accepts all concurrent transfers in both directions, and rejects those beyond the balance', async () => {
      const [left, right] = [await createPerson(kernel, 500), await createPerson(kernel, 500)];
      const both = await atOnce(20, (i) => (i % 2 === 0 ? send(left, right, 1 + i) : send(right, left, 1 + i)));
      expectAll(both, 200);
      expect([await left.balance(), await right.balance()]).to.deep.equal([510, 490]);
      const poor = await createPerson(kernel, 20);
      expect(countStatuses(await atOnce(20, () => send(poor, left, 2)), 200, 409)).to.deep.equal([10, 10]);
      expect(await poor.balance()).to.equal(0);
    });

    it('accepts one of concurrent sign-ups with one address', async () => {
      const body = { email: createEmail(), name: 'Grace', password: PASSWORD };
      expect(countStatuses(await atOnce(10, () => kernel.post('/sign-up', body)), 200, 409)).to.deep.equal([1, 9]);
    });

    it('accepts a state of another service once, also of ten concurrent requests', async () => {
      const { state } = (await ada.post('/connect/start')).body;
      const answers = await atOnce(10, () => ada.post('/connect/callback', { state, code: 'good' }));
      expect(countStatuses(answers, 200, 410)).to.deep.equal([1, 9]);
      expect(provider?.requests).to.have.lengthOf(1);
    });

    it('imports once, and finds words', async () => {
      const entries = [{ reference: 'r1', amount: 5, note: 'an old book' }];
      const came = await bob.post<readonly Loose[]>('/wallet/import', { entries });
      expect(came.body.map(({ reference }) => reference)).to.deep.equal(['r1']);
      expect((await bob.post('/wallet/import', { entries })).status).to.equal(409);
      const found = await bob.post<readonly Loose[]>('/wallet/search', { words: 'book' });
      expect(found.body.map(({ note }) => note)).to.deep.equal(['an old book']);
    });

    it('writes rows that may exist already: details, rates', async () => {
      const update = (body: Loose) => bob.post('/profile/private/update', body);
      expect((await update({ phone: '+31 20 555' })).status).to.equal(200);
      expect((await update({ tax_number: 'NL12345' })).status).to.equal(200);
      expect((await bob.post('/profile/private')).body).to.include({ phone: '+31 20 555', tax_number: 'NL12345' });
      const changed = await bob.post('/profile/update', { interests: ['tea', 'sea'] });
      expect(changed.body['interests']).to.deep.equal(['tea', 'sea']);
    });

    it('moves money once for a payment that is delivered ten times concurrently', async () => {
      const before = Number(await bob.balance());
      const body = JSON.stringify({ event: `evt_${name}_1`, wallet: bob.id, amount: 70 });
      const headers = { 'x-payment-signature': signHmac(body, SAMPLE_ENV.PAYMENT_SECRET) };
      const answers = await atOnce(10, () => kernel.post('/payments/webhook', body, { headers }));
      expect(countStatuses(answers, 202)).to.deep.equal([10]);
      await waitForValue(
        () => bob.balance(),
        (balance) => balance === before + 70,
      );
      await waitForValue(
        async () => (await kernel.kernel.listJobAdmins()[0]?.list({}))?.length,
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

    it('opens no embedded database if nothing is stored in it', async () => {
      const query = { query: 'SELECT 1 AS one', parameters: [] };
      const files = {
        'definitions/one.json': {
          id: 'one',
          resource: 'one',
          actionables: [{ id: 1, mode: 'QUERY', sql_query: query }],
        },
      };
      const plain = await startKernel({ files, env: { [variable]: url } });
      try {
        expect((await plain.post('/one')).body).to.deep.equal({ one: 1 });
        expect(plain.log.filter(({ message }) => message.includes('PGlite'))).to.deep.equal([]);
        const status = await (await fetch(`${plain.url}/status`)).text();
        expect(status).to.include(`dialect:${dialect}`).and.not.include('pglite');
      } finally {
        await plain.close();
      }
    });
  });
}
