/**
 * Races over HTTP, the same on every database: balances that are read and written, one e-mail for twenty, transfers
 * between two rows, rows created while the referenced one is deleted. The database finally contains what was
 * acknowledged.
 */
import { expect } from 'chai';
import type { Answer, Loose } from '../support/client.js';
import { describeOnEach, SQL, STORES, type Database } from '../support/databases.js';
import { defineQueryResource } from '../support/project.js';
import type { TestKernel } from '../support/kernel.js';

const statement = (id: number, query: string, parameters: readonly string[], rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query, parameters },
  ...rest,
});
const after = (id: number, from: string, to: string): object => ({
  depends_on: [{ resource_id: 'self', action_ids: [id], extract_response_for: [{ extract: from, for: to }] }],
});

const SQL_FILES = {
  'definitions/models.json': [
    { _account: { id: { type: 'String', primary_key: true }, balance: { type: 'Number' } } },
    { _member: { id: { type: 'String', primary_key: true }, email: { type: 'String' }, unique: ['email'] } },
    {
      _entry: {
        id: { type: 'String', primary_key: true },
        account: { type: 'String', foreign_key: { of: '_account', key: 'id' } },
      },
    },
  ],
  'definitions/resources.json': [
    defineQueryResource('open', 'INSERT INTO _account (id, balance) VALUES ($1, $2)', [
      '$PAYLOAD.id',
      '$PAYLOAD.balance',
    ]),
    defineQueryResource('account', 'SELECT id, balance FROM _account WHERE id = $1', ['$PAYLOAD.id']),
    defineQueryResource(
      'transfer',
      'UPDATE _account SET balance = balance + CASE WHEN id = $1 THEN -$3::bigint ELSE $3::bigint END WHERE id IN ($1, $2)',
      ['$PAYLOAD.from', '$PAYLOAD.to', '$PAYLOAD.amount'],
    ),
    defineQueryResource('close', 'DELETE FROM _account WHERE id = $1', ['$PAYLOAD.id']),
    defineQueryResource('sign-up', 'INSERT INTO _member (id, email) VALUES ($1, $2)', [
      '$GENERATOR.ULID',
      '$PAYLOAD.email',
    ]),
    defineQueryResource('members', 'SELECT count(*) AS n FROM _member WHERE email = $1', ['$PAYLOAD.email']),
    defineQueryResource('entry', 'INSERT INTO _entry (id, account) VALUES ($1, $2)', [
      '$GENERATOR.ULID',
      '$PAYLOAD.id',
    ]),
    defineQueryResource('entries', 'SELECT count(*) AS n FROM _entry WHERE account = $1', ['$PAYLOAD.id']),
    {
      id: 'add',
      resource: 'add',
      actionables: [
        statement(1, 'SELECT balance FROM _account WHERE id = $1', ['$PAYLOAD.id'], { must_return_value: true }),
        statement(
          2,
          'UPDATE _account SET balance = $2::bigint + $3::bigint WHERE id = $1',
          ['$PAYLOAD.id', 'now', '$PAYLOAD.amount'],
          {
            ...after(1, 'balance', 'now'),
          },
        ),
      ],
    },
    {
      id: 'crossed',
      resource: 'crossed',
      actionables: [
        statement(1, 'SELECT balance AS has FROM _account WHERE id = $1', ['$PAYLOAD.from'], {
          must_return_value: true,
        }),
        statement(
          2,
          'UPDATE _account SET balance = $2::bigint - $3::bigint WHERE id = $1',
          ['$PAYLOAD.from', 'a', '$PAYLOAD.amount'],
          {
            ...after(1, 'has', 'a'),
          },
        ),
        statement(3, 'UPDATE _account SET balance = balance + $2::bigint WHERE id = $1', [
          '$PAYLOAD.to',
          '$PAYLOAD.amount',
        ]),
      ],
    },
  ],
};

const statuses = (answers: readonly Answer<Loose>[]): Readonly<Record<number, number>> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
/** The reason of each rejection. */
const codes = (answers: readonly Answer<Loose>[]): unknown[] => [
  ...new Set(answers.filter(({ status }) => status !== 200).map(({ body }) => body['code'])),
];
const times = <T>(count: number, make: (n: number) => T): T[] => Array.from({ length: count }, (_, n) => make(n));
const way = (n: number): object => (n % 2 ? { from: 'left', to: 'right' } : { from: 'right', to: 'left' });
const createPoster = (kernel: () => TestKernel) => (path: string, body: object) => kernel().post(path, body);

/** The counts must not depend on the load of the machine: deadlines have separate tests. */
const withoutDeadlines = <Name extends string>(databases: readonly Database<Name>[]): readonly Database<Name>[] =>
  databases.map((database) => ({
    ...database,
    config: (url) => database.config(url, { pool_wait: 50, statement_timeout: 50 }),
  }));

describeOnEach('races', withoutDeadlines(SQL), { files: SQL_FILES }, (kernel) => {
  const post = createPoster(kernel);
  const balance = async (id: string): Promise<number> => Number((await post('/account', { id })).body['balance']);

  it('count all of fifty chains on one balance, and reject none', async function () {
    await post('/open', { id: 'one', balance: 0 });
    const answers = await Promise.all(times(50, (n) => post('/add', { id: 'one', amount: n + 1 })));
    expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 50 }, []]);
    expect(await balance('one')).to.equal(1275);
  });

  it('accept one of twenty sign-ups with one e-mail, and return the reason to the others', async () => {
    const answers = await Promise.all(times(20, () => post('/sign-up', { email: 'one@x.co' })));
    expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 1, 409: 19 }, ['QRY_UNIQUE']]);
    expect((await post('/members', { email: 'one@x.co' })).body['n']).to.equal(1);
  });

  it('accept all of twenty transfers in both directions and preserve the sum', async function () {
    await Promise.all(['left', 'right'].map((id) => post('/open', { id, balance: 1000 })));
    const answers = await Promise.all(times(20, (n) => post('/transfer', { ...way(n), amount: n + 1 })));
    expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 20 }, []]);
    // 1 + 3 + ... to the left, 2 + 4 + ... to the right.
    expect([await balance('left'), await balance('right')]).to.deep.equal([1000 - 10, 1000 + 10]);
  });

  it('retry one of two that wait for one another, and count both', async function () {
    await Promise.all(['left', 'right'].map((id) => post('/open', { id, balance: 0 })));
    const before = [await balance('left'), await balance('right')];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all([0, 1].map((n) => post('/crossed', { ...way(n), amount: 5 })));
      expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 2 }, []]);
      expect([await balance('left'), await balance('right')]).to.deep.equal(before);
    }
  });

  it('never leave a row without the one that it references, in any order', async function () {
    for (const id of times(10, (n) => `gone-${n}`)) {
      await post('/open', { id, balance: 0 });
      const work = times(5, () => () => post('/entry', { id }));
      work.splice(Number(id.at(-1)) % 6, 0, () => post('/close', { id }));
      const answers = await Promise.all(work.map((send) => send()));
      const [closed] = answers.splice(Number(id.at(-1)) % 6, 1);
      const made = statuses(answers)[200] ?? 0;
      expect(codes(answers.concat(closed ?? []))).to.deep.equal(['QRY_FOREIGN_KEY']);
      expect(Object.keys(statuses(answers)).every((status) => ['200', '409'].includes(status))).to.equal(true);
      // Either the row is gone and nothing refers to it, or it stayed.
      expect(closed?.status).to.equal(made === 0 ? 200 : 409);
      expect((await post('/entries', { id })).body['n']).to.equal(made);
      expect((await post('/account', { id })).status).to.equal(200);
      expect((await post('/account', { id })).body === null).to.equal(made === 0);
    }
  });
});

const document = (id: number, query: object, rest: object = {}): object => ({
  id,
  mode: 'QUERY',
  mongo_query: query,
  ...rest,
});
const onDocuments = (id: string, ...actionables: object[]): object => ({ id, resource: id, actionables });
const byName = { filter_predicate: { name: '$PAYLOAD.name' } };

const STORE_FILES = {
  'definitions/models.json': [{ _counter: { name: { type: 'String' }, n: { type: 'Number' }, unique: ['name'] } }],
  'definitions/resources.json': [
    onDocuments(
      'make',
      document(1, { collection: '_counter', action: 'INSERT', parameters: ['$PAYLOAD.name', '$PAYLOAD.n'] }),
    ),
    onDocuments('all', document(1, { collection: '_counter', action: 'FETCH', ...byName }, { result: 'many' })),
    onDocuments('read', document(1, { collection: '_counter', action: 'FETCH', ...byName })),
    onDocuments(
      'increase',
      document(1, {
        collection: '_counter',
        action: 'UPDATE',
        ...byName,
        update_predicate: { $inc: { n: '$PAYLOAD.by' } },
      }),
    ),
    onDocuments(
      'rewrite',
      document(1, { collection: '_counter', action: 'FETCH', ...byName }, { must_return_value: true }),
      document(
        2,
        {
          collection: '_counter',
          action: 'UPDATE',
          ...byName,
          parameters: ['n'],
          update_predicate: [{ $set: { n: { $add: ['$1', 1] } } }],
        },
        after(1, 'n', 'n'),
      ),
    ),
  ],
};

describeOnEach('document races', withoutDeadlines(STORES), { files: STORE_FILES }, (kernel) => {
  const post = createPoster(kernel);
  const value = async (name: string): Promise<unknown> => {
    const { body } = await kernel().post<readonly Loose[] | Loose>('/read', { name });
    return (Array.isArray(body) ? (body as readonly Loose[])[0] : (body as Loose))?.['n'];
  };
  const atOnce = (path: string, count: number, body: object): Promise<Answer<Loose>[]> =>
    Promise.all(times(count, () => post(path, body)));

  it('accept one of twenty with one name, and return the reason to the others', async function () {
    const answers = await atOnce('/make', 20, { name: 'one', n: 1 });
    expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 1, 409: 19 }, ['QRY_UNIQUE']]);
    expect((await kernel().post<readonly unknown[]>('/all', { name: 'one' })).body).to.have.length(1);
  });

  it('count fifty concurrent increments', async function () {
    expect((await post('/make', { name: 'more', n: 0 })).status).to.equal(200);
    const answers = await atOnce('/increase', 50, { name: 'more', by: 1 });
    expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 50 }, []]);
    expect(await value('more')).to.equal(50);
  });

  it('count all updates that read and write in one request: the second one waits', async function () {
    expect((await post('/make', { name: 'chain', n: 0 })).status).to.equal(200);
    const answers = await atOnce('/rewrite', 50, { name: 'chain' });
    expect([statuses(answers), codes(answers)]).to.deep.equal([{ 200: 50 }, []]);
    expect(await value('chain')).to.equal(50);
  });
});
