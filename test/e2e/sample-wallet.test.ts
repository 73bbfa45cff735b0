/** The wallets of the sample definitions over real HTTP: money moves whole or not at all. */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnDatabase } from '../support/kernel.js';
import { copyQuickSample, SAMPLE_ENV } from '../support/project.js';
import { countStatuses, createEmail, createPerson, PIN, type Person } from '../support/wallet.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const KSUID = /^[0-9A-Za-z]{27}$/;
const RESULT = ['id', 'amount', 'balance_after', 'created_at'];

describeOnDatabase('sample: wallets', { prepare: copyQuickSample, env: SAMPLE_ENV }, (kernel) => {
  const open = (balance = 0): Promise<Person> => createPerson(kernel(), balance);
  const send = (from: Person, to: Person, amount: number, rest: Loose = {}): Promise<Answer<Loose>> =>
    from.post('/wallet/transfer', { to_email: to.email, amount, pin: PIN, ...rest });
  const history = async (of: Person): Promise<readonly Loose[]> =>
    (await of.post<readonly Loose[]>('/wallet/history')).body;

  it('requires a token for every endpoint', async () => {
    const plans = [...kernel().kernel.plans().byId.values()].filter(({ path }) => path.startsWith('wallet/'));
    expect(plans).to.have.lengthOf(11);
    for (const { path } of plans) expect((await kernel().post(`/${path}`, {})).status, path).to.equal(401);
  });

  describe('deposit', () => {
    it('adds to the balance and writes the entry', async () => {
      const ada = await open();
      const { status, body } = await ada.post('/wallet/deposit', { amount: 250, note: 'pocket money' });
      expect(status).to.equal(200);
      expect(Object.keys(body)).to.deep.equal(RESULT);
      expect(body).to.include({ amount: 250, balance_after: 250 });
      expect(body['id']).to.match(KSUID);
      expect(body['created_at']).to.match(ISO);
      expect(await ada.balance()).to.equal(250);
    });

    it('rejects an invalid amount and writes nothing', async () => {
      const ada = await open();
      for (const amount of [0, -5, 1.5, '10', null, 1e300, undefined]) {
        expect((await ada.post('/wallet/deposit', { amount })).status, String(amount)).to.equal(422);
      }
      expect([await ada.balance(), await history(ada)]).to.deep.equal([0, []]);
    });

    it('sums up 60 concurrent ones exactly, matching the entries', async function () {
      const ada = await open();
      const amounts = Array.from({ length: 60 }, (_, i) => i + 1);
      const answers = await Promise.all(amounts.map((amount) => ada.post('/wallet/deposit', { amount })));
      expect(countStatuses(answers, 200)).to.deep.equal([60]);
      expect(await ada.balance()).to.equal(1830);
      const entries = await history(ada);
      expect(entries).to.have.lengthOf(50);
      // Latest first: each balance is the one before it and its amount.
      entries.slice(0, -1).forEach((entry, i) => {
        expect(Number(entry['balance_after']) - Number(entry['amount'])).to.equal(entries[i + 1]?.['balance_after']);
      });
      expect(entries[0]).to.include({ balance_after: 1830 });
    });
  });

  describe('transfer', () => {
    it('moves money and writes an entry for each side', async () => {
      const [ada, bob] = [await open(500), await open(10)];
      const { status, body, text } = await send(ada, bob, 120, { note: 'rent' });
      expect(status, text).to.equal(200);
      expect(Object.keys(body)).to.deep.equal(RESULT);
      expect(body).to.include({ amount: -120, balance_after: 380 });
      expect([await ada.balance(), await bob.balance()]).to.deep.equal([380, 130]);
      const [sent] = await history(ada);
      const [received] = await history(bob);
      expect(sent).to.include({ id: body['id'], kind: 'sent', amount: -120, other_user_id: bob.id, note: 'rent' });
      expect(received).to.include({ kind: 'received', amount: 120, balance_after: 130, other_user_id: ada.id });
    });

    const rejections: readonly [string, number, string, (ada: Person, bob: Person) => Promise<Answer<Loose>>][] = [
      ['more than the balance', 409, 'There is not enough money in the wallet.', (ada, bob) => send(ada, bob, 51)],
      [
        'to an unknown address',
        404,
        'There is no wallet to send to.',
        (ada) => ada.post('/wallet/transfer', { to_email: createEmail(), amount: 5, pin: PIN }),
      ],
      ['to oneself', 404, 'There is no wallet to send to.', (ada) => send(ada, ada, 5)],
      ['with a wrong PIN', 401, 'The credentials are not valid.', (ada, bob) => send(ada, bob, 5, { pin: '0000' })],
    ];
    for (const [title, status, detail, attempt] of rejections) {
      it(`rejects ${title} with ${status}, and changes nothing`, async () => {
        const [ada, bob] = [await open(50), await open(7)];
        const answer = await attempt(ada, bob);
        expect(answer.status, answer.text).to.equal(status);
        expect(answer.body['detail']).to.equal(detail);
        expect([await ada.balance(), await bob.balance()]).to.deep.equal([50, 7]);
        expect([(await history(ada)).length, (await history(bob)).length]).to.deep.equal([1, 1]);
      });
    }

    it('names each missing field', async () => {
      const { status, body } = await (await open()).post('/wallet/transfer', {});
      expect(status).to.equal(422);
      const pointers = (body['errors'] as readonly Loose[]).map(({ pointer }) => pointer);
      expect(pointers).to.deep.equal(['/to_email', '/amount', '/pin']);
    });

    it('accepts 20 concurrent ones in both directions and preserves the sum', async function () {
      const [ada, bob] = [await open(10_000), await open(10_000)];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? send(ada, bob, 1 + i) : send(bob, ada, 1 + i))),
      );
      for (const { status, text } of answers) expect(status, text).to.equal(200);
      const [left, right] = [Number(await ada.balance()), Number(await bob.balance())];
      expect(left + right).to.equal(20_000);
      for (const [of, balance] of [
        [ada, left],
        [bob, right],
      ] as const) {
        const moved = (await of.post('/wallet/summary')).body;
        expect(Number(moved['came']) - Number(moved['went'])).to.equal(balance);
        const [latest] = await history(of);
        expect(latest?.['balance_after']).to.equal(balance);
      }
    });

    it('transfers no more than the balance in 20 concurrent ones', async function () {
      const [ada, bob] = [await open(16), await open()];
      const answers = await Promise.all(Array.from({ length: 20 }, () => send(ada, bob, 2)));
      expect(countStatuses(answers, 200, 409)).to.deep.equal([8, 12]);
      expect([await ada.balance(), await bob.balance()]).to.deep.equal([0, 16]);
    });
  });

  describe('ledger', () => {
    let ada: Person;
    let bob: Person;
    before(async () => {
      [ada, bob] = [await open(), await open()];
      for (const [amount, note] of [
        [100, 'Salary of May'],
        [200, 'selling old books'],
        [300, null],
      ]) {
        expect((await ada.post('/wallet/deposit', { amount, ...(note !== null && { note }) })).status).to.equal(200);
      }
      expect((await send(ada, bob, 50, { note: 'a book' })).status).to.equal(200);
    });

    it('lists the latest first, as a list also when it is empty', async () => {
      expect((await history(ada)).map(({ amount }) => amount)).to.deep.equal([-50, 300, 200, 100]);
      const [first] = await history(ada);
      const columns = ['id', 'other_user_id', 'kind', 'amount', 'balance_after', 'note', 'created_at'];
      expect(Object.keys(first ?? {})).to.deep.equal(columns);
      expect(await history(await open())).to.deep.equal([]);
    });

    it('returns one entry by the id in the path, to its owner only', async () => {
      const [entry] = await history(ada);
      const path = `/wallet/history/${String(entry?.['id'])}`;
      expect((await ada.post(path)).body).to.deep.equal(entry);
      expect((await bob.post(path)).status).to.equal(404);
      expect((await ada.post('/wallet/history/nothing')).status).to.equal(404);
    });

    it('finds words in any form in a note', async () => {
      const found = (await ada.post<readonly Loose[]>('/wallet/search', { words: 'book' })).body;
      expect(found.map(({ note }) => note)).to.deep.equal(['a book', 'selling old books']);
      expect((await ada.post('/wallet/search', { words: 'book -sold -sell' })).body).to.have.lengthOf(1);
      expect((await ada.post('/wallet/search', { words: "'); drop table _users; --" })).body).to.deep.equal([]);
      expect((await bob.post('/wallet/search', { words: 'salary' })).body).to.deep.equal([]);
    });

    it('sums up balance and movements in one response', async () => {
      const { body } = await ada.post('/wallet/summary');
      expect(body).to.deep.equal({ name: 'Ada Lovelace', balance: 550, movements: 4, came: 600, went: 50 });
    });

    it('prints a statement from the profile and the latest entries', async () => {
      const { status, body } = await ada.post('/wallet/statement');
      expect(status).to.equal(200);
      expect(body).to.include({ title: 'Wallet of Ada Lovelace', balance: 550 });
      const entries = body['entries'] as readonly Loose[];
      expect(entries.map(({ amount }) => amount)).to.deep.equal([-50, 300, 200, 100]);
      expect(Object.keys(entries[0] ?? {})).to.deep.equal(['kind', 'amount', 'balance_after', 'created_at']);
      expect(body['last_movement']).to.equal(entries[0]?.['created_at']);
      const empty = await (await open()).post('/wallet/statement');
      expect([empty.status, empty.body['detail']]).to.deep.equal([404, 'Nothing has moved yet.']);
    });
  });

  describe('import', () => {
    const entries = (...references: readonly string[]): Loose[] =>
      references.map((reference, i) => ({ reference, amount: i + 1, note: `old ${reference}` }));

    it('writes every entry in the order of the list, and moves no money', async () => {
      const ada = await open(5);
      const { status, body } = await ada.post<readonly Loose[]>('/wallet/import', { entries: entries('a', 'b', 'c') });
      expect(status).to.equal(200);
      expect(body.map(({ reference, amount }) => [reference, amount])).to.deep.equal([
        ['a', 1],
        ['b', 2],
        ['c', 3],
      ]);
      expect(new Set(body.map(({ id }) => id)).size).to.equal(3);
      expect((await ada.post('/wallet/summary')).body).to.include({ balance: 5, movements: 1 });
      expect(await history(ada)).to.have.lengthOf(4);
    });

    it('rejects a known reference, names the entry, and writes none of them', async () => {
      const [ada, bob] = [await open(), await open()];
      await ada.post('/wallet/import', { entries: entries('known') });
      const { status, body } = await ada.post('/wallet/import', { entries: entries('x', 'known', 'y') });
      expect(status).to.equal(409);
      // The other column of the pair comes from the token: the caller could correct nothing.
      const pointers = (body['errors'] as readonly Loose[]).map(({ pointer }) => pointer);
      expect(pointers).to.deep.equal(['/entries/1/reference']);
      expect(await history(ada)).to.have.lengthOf(1);
      expect((await bob.post('/wallet/import', { entries: entries('known') })).status, 'of another wallet').to.equal(
        200,
      );
    });

    it('validates every entry before the first is written', async () => {
      const ada = await open();
      const list = [...entries('a'), { reference: '', amount: 1.5 }];
      const { status, body } = await ada.post('/wallet/import', { entries: list });
      expect(status).to.equal(422);
      const pointers = (body['errors'] as readonly Loose[]).map(({ pointer }) => pointer);
      expect(pointers).to.deep.equal(['/entries/1/reference', '/entries/1/amount']);
      expect((await ada.post('/wallet/import', { entries: new Array(101).fill(entries('a')[0]) })).status).to.equal(
        422,
      );
      expect(await history(ada)).to.deep.equal([]);
    });
  });
});
