/** The sample definitions of the distribution over real HTTP, on both databases: what the first reader of README meets. */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { onBothDatabases } from '../support/kernel.js';
import { copySample } from '../support/project.js';

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

onBothDatabases('sample definitions', { prepare: copySample }, (kernel) => {
  let counter = 0;

  const open = async (balance: number, rest: Loose = {}): Promise<string> => {
    const email = `user${++counter}@example.com`;
    const answer = await kernel().post('/accounts/open', { owner: 'Ada', email, balance, ...rest });
    expect(answer.status, answer.text).to.equal(200);
    return String(answer.body['id']);
  };
  const balanceOf = async (id: string): Promise<unknown> =>
    (await kernel().post('/accounts/read', { id })).body['balance'];
  const send = (from: string, to: string, amount: number): Promise<Answer<Loose>> =>
    kernel().post('/transfers/send', { from_account: from, to_account: to, amount });
  const transfersOf = async (account: string): Promise<readonly Loose[]> =>
    (await kernel().post<readonly Loose[]>('/transfers/list', { account })).body;

  it('opens an account and answers exactly what `returnables` lists', async () => {
    const before = Date.now();
    const { status, body } = await kernel().post('/accounts/open', {
      owner: 'Grace',
      email: 'grace@example.com',
      balance: 1000,
    });
    expect(status).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(['id', 'owner', 'email', 'balance', 'created_at']);
    expect(body['id']).to.match(ULID);
    expect(body).to.include({ owner: 'Grace', email: 'grace@example.com', balance: 1000 });
    expect(body['created_at']).to.match(ISO);
    expect(Date.parse(String(body['created_at']))).to.be.within(before, Date.now());
  });

  it('reads an account back with JSON, numbers and times native', async () => {
    const id = await open(250, { settings: { theme: 'dark', tags: ['a', 1, null] } });
    const { body } = await kernel().post('/accounts/read', { id });
    expect(body).to.deep.include({ id, balance: 250, settings: { theme: 'dark', tags: ['a', 1, null] } });
    expect(body['created_at']).to.match(ISO);
  });

  it('answers null for an optional column that was not sent', async () => {
    const { body } = await kernel().post('/accounts/read', { id: await open(1) });
    expect(body).to.have.property('settings', null);
  });

  it('lists accounts as an array of the listed names', async () => {
    const id = await open(7);
    const { body } = await kernel().post<readonly Loose[]>('/accounts/list');
    expect(body).to.be.an('array');
    const row = body.find((account) => account['id'] === id);
    expect(row).to.have.all.keys('id', 'owner', 'balance', 'created_at');
  });

  it('answers an empty list as an empty array', async () => {
    expect(await transfersOf(await open(0))).to.deep.equal([]);
  });

  it('moves money and writes the transfer', async () => {
    const [from, to] = [await open(500), await open(10)];
    const { status, body } = await send(from, to, 120);
    expect(status).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(['id', 'amount', 'from_balance', 'created_at']);
    expect(body).to.include({ amount: 120, from_balance: 380 });
    expect(body['created_at']).to.match(ISO);
    expect([await balanceOf(from), await balanceOf(to)]).to.deep.equal([380, 130]);
    const [row, ...more] = await transfersOf(to);
    expect(more).to.deep.equal([]);
    expect(row).to.include({ id: body['id'], from_account: from, to_account: to, amount: 120 });
  });

  it('refuses with 409 when there is not enough money, and writes nothing', async () => {
    const [from, to] = [await open(50), await open(0)];
    const { status, body } = await send(from, to, 51);
    expect(status).to.equal(409);
    expect(body).to.include({
      code: 'ACT_NO_VALUE',
      status: 409,
      detail: 'There is no such account, or not enough money on it.',
    });
    expect([await balanceOf(from), await balanceOf(to)]).to.deep.equal([50, 0]);
    expect(await transfersOf(from)).to.deep.equal([]);
  });

  it('refuses with 404 when the target does not exist, and takes the money back', async () => {
    const from = await open(50);
    const { status, body } = await send(from, '0'.repeat(26), 20);
    expect(status).to.equal(404);
    expect(body['detail']).to.equal('There is no account to send to.');
    expect(await balanceOf(from)).to.equal(50);
    expect(await transfersOf(from)).to.deep.equal([]);
  });

  it('refuses a payload that breaks rules with one pointer for each', async () => {
    const { status, body, headers } = await kernel().post('/accounts/open', {
      owner: '',
      email: 'nowhere',
      balance: 1.5,
    });
    expect(status).to.equal(422);
    expect(headers.get('content-type')).to.match(/^application\/problem\+json/);
    expect(body['errors']).to.deep.equal([
      { pointer: '/owner', code: 'min_length', detail: 'must have at least 1 characters' },
      { pointer: '/email', code: 'email', detail: 'must be an e-mail address' },
      { pointer: '/balance', code: 'integer', detail: 'must be a whole number' },
    ]);
  });

  it('names every missing field', async () => {
    const { status, body } = await kernel().post('/transfers/send', {});
    expect(status).to.equal(422);
    const pointers = (body['errors'] as readonly Loose[]).map((issue) => issue['pointer']);
    expect(pointers).to.deep.equal(['/from_account', '/to_account', '/amount']);
  });

  it('answers 404 in the words of the definition for an id that nobody has', async () => {
    const { status, body } = await kernel().post('/accounts/read', { id: '0'.repeat(26) });
    expect(status).to.equal(404);
    expect(body).to.include({ code: 'ACT_NO_VALUE', detail: 'There is no such account.' });
  });

  it('never answers the secret column', async () => {
    const id = await open(5, { note: 'SECRET-NOTE' });
    for (const path of ['/accounts/read', '/accounts/list', '/account-read']) {
      const { text } = await kernel().post(path, { id });
      expect(text).to.contain(id);
      expect(text).not.to.contain('note');
      expect(text).not.to.contain('SECRET-NOTE');
    }
  });

  it('answers health without a database', async () => {
    const { status, body } = await kernel().post('/health');
    expect(status).to.equal(200);
    expect(body).to.include({ status: 'ok', you: '127.0.0.1' });
    expect(body['at']).to.match(ISO);
  });

  it('keeps the sum through 50 concurrent transfers in both directions', async function () {
    this.timeout(60_000);
    const [a, b] = [await open(1000), await open(1000)];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? send(a, b, 1 + i) : send(b, a, 1 + i))),
    );
    for (const { status, body } of answers) expect(status, JSON.stringify(body)).to.equal(200);
    const [left, right] = [Number(await balanceOf(a)), Number(await balanceOf(b))];
    expect(left + right).to.equal(2000);
    const ledger = await transfersOf(a);
    expect(ledger.length).to.equal(50);
    const moved = ledger.reduce((sum, row) => sum + Number(row['amount']) * (row['to_account'] === a ? 1 : -1), 0);
    expect(left).to.equal(1000 + moved);
  });

  it('takes no more than there is when 50 want it at once', async function () {
    this.timeout(60_000);
    const [a, b] = [await open(40), await open(0)];
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(a, b, 2)));
    const counts = [200, 409].map((wanted) => answers.filter(({ status }) => status === wanted).length);
    expect(counts).to.deep.equal([20, 30]);
    expect([await balanceOf(a), await balanceOf(b)]).to.deep.equal([0, 40]);
  });
});
