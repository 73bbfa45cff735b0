/**
 * The chain that reads a balance and writes the changed value: many concurrent ones on one row are all counted and none
 * is rejected, on both databases. Also the lock in the plan, and that a failed chain leaves nothing.
 */
import { expect } from 'chai';
import { describeOnBothDatabases, type TestKernel } from '../support/kernel.js';

const chain = (id: string, read: string, rest: object = {}): object => ({
  id,
  resource: id,
  actionables: [
    { id: 1, mode: 'QUERY', no_op: true, sql_query: { query: read, parameters: ['id'] }, must_return_value: true },
    {
      id: 2,
      mode: 'QUERY',
      depends_on: [
        {
          resource_id: 'self',
          action_ids: [1],
          extract_response_for: [{ extract: 'balance', for: 'current_balance' }],
        },
      ],
      sql_query: {
        query: 'UPDATE wallets SET balance = $2::bigint + $3::bigint WHERE id = $1 RETURNING id, balance',
        parameters: ['id', 'current_balance', '$PAYLOAD.amount'],
      },
      ...rest,
    },
  ],
  returnables: ['id', 'balance'],
});

const query = (id: string, sql: string, parameters: readonly string[]): object => ({
  id,
  resource: id,
  actionables: [{ id: 1, mode: 'QUERY', sql_query: { query: sql, parameters } }],
  returnables: ['id', 'balance'],
});

const PLAIN = 'SELECT balance FROM wallets WHERE id = $1';

const FILES = {
  'definitions/models/_wallet.json': {
    id: { type: 'String', primary_key: true },
    balance: { type: 'Number' },
  },
  'definitions/models/_entry.json': {
    id: { type: 'Number', primary_key: true, auto_increment: true },
    wallet: { type: 'String', foreign_key: { of: '_wallet', key: 'id' } },
  },
  'definitions/resources.json': [
    chain('add', PLAIN),
    chain('add-or-refuse', PLAIN, { must_return_value: true }),
    chain('add-without', PLAIN.replace('$1', `$1 AND balance >= 0`), { returnables: ['balance'] }),
    query('make', 'INSERT INTO wallets (id, balance) VALUES ($1, 0)', ['id']),
    query('read', 'SELECT id, balance FROM wallets WHERE id = $1', ['id']),
    {
      id: 'beside',
      resource: 'beside',
      actionables: [
        { id: 1, mode: 'QUERY', sql_query: { query: 'SELECT balance FROM wallets WHERE balance > 0', parameters: [] } },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: 'UPDATE wallets SET balance = 1 WHERE id = $1', parameters: ['id'] },
        },
      ],
    },
    {
      id: 'never',
      resource: 'never',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'UPDATE wallets SET balance = 99 WHERE id = $1', parameters: ['id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: `SELECT balance FROM wallets WHERE id = $1 AND balance < 0`, parameters: ['id'] },
          must_return_value: true,
        },
      ],
    },
    {
      id: 'broken-end',
      resource: 'broken-end',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'UPDATE wallets SET balance = 99 WHERE id = $1', parameters: ['id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO entries (wallet) VALUES ($1)', parameters: ['$PAYLOAD.other'] },
        },
      ],
    },
  ],
};

const describePlan = (kernel: TestKernel, id: string): string =>
  JSON.stringify(kernel.kernel.plans().byId.get(id)?.summary.describe);

describeOnBothDatabases('balance chain', { files: FILES }, (kernel) => {
  const balance = async (id: string): Promise<unknown> => (await kernel().post('/read', { id })).body['balance'];

  for (const resource of ['add', 'add-or-refuse', 'add-without']) {
    it(`${resource}: counts 50 concurrent requests on one row, and rejects none`, async function () {
      const id = `one-${resource}`;
      await kernel().post('/make', { id });
      const amounts = Array.from({ length: 50 }, (_, n) => n + 1);
      const answers = await Promise.all(amounts.map((amount) => kernel().post(`/${resource}`, { id, amount })));
      expect(answers.map(({ status }) => status)).to.deep.equal(amounts.map(() => 200));
      expect(await balance(id)).to.equal(1275);
      // Each read a separate balance: the responses are the partial sums, all different.
      expect(new Set(answers.map(({ body }) => body['balance'])).size).to.equal(50);
    });
  }

  it('counts concurrent chains on many rows', async function () {
    const ids = Array.from({ length: 10 }, (_, n) => `many-${n}`);
    await Promise.all(ids.map((id) => kernel().post('/make', { id })));
    const calls = Array.from({ length: 50 }, (_, n) => ({ id: ids[n % 10], amount: 1 }));
    const answers = await Promise.all(calls.map((call) => kernel().post('/add', call)));
    expect(answers.every(({ status }) => status === 200)).to.equal(true);
    expect(await Promise.all(ids.map(balance))).to.deep.equal(ids.map(() => 5));
  });

  it('returns 404 without the row, thirty times, changes nothing, and keeps serving', async function () {
    await kernel().post('/make', { id: 'after' });
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => kernel().post('/add', { id: 'nobody', amount: 1 })),
    );
    expect(answers.map(({ status }) => status)).to.deep.equal(answers.map(() => 404));
    expect((await kernel().post('/add', { id: 'after', amount: 3 })).body).to.deep.equal({ id: 'after', balance: 3 });
  });

  it('rolls back earlier statements when the last one fails', async () => {
    await kernel().post('/make', { id: 'end' });
    const answer = await kernel().post('/broken-end', { id: 'end', other: 'nobody' });
    expect(answer.status).to.equal(409);
    expect(await balance('end')).to.equal(0);
  });

  it('rolls back earlier statements when the last result is rejected', async () => {
    await kernel().post('/make', { id: 'refused' });
    const answer = await kernel().post('/never', { id: 'refused' });
    expect(answer.status).to.equal(404);
    expect(await balance('refused')).to.equal(0);
  });

  it('locks nothing for a read that only precedes a write', () => {
    expect(describePlan(kernel(), 'beside')).not.to.include('FOR NO KEY UPDATE');
  });

  it('shows in its plan that the read locks', () => {
    expect(describePlan(kernel(), 'add')).to.include(`${PLAIN} FOR NO KEY UPDATE`);
    expect(describePlan(kernel(), 'read')).not.to.include('FOR NO KEY UPDATE');
  });
});
