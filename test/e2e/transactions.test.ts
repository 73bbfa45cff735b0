/** Transactions over real HTTP, on both databases: all or nothing, no lost updates, tried again where that can help. */
import { expect } from 'chai';
import { describeOnBothDatabases } from '../support/kernel.js';

/** Reads without a lock, then writes what it read plus one: the pair that loses updates without isolation. */
const bump = (id: string, read: string): object => ({
  id,
  resource: id,
  actionables: [
    { id: 1, mode: 'QUERY', no_op: true, sql_query: { query: read, parameters: ['$PAYLOAD.id'] } },
    {
      id: 2,
      mode: 'QUERY',
      depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: 'n', for: 'seen' }] }],
      sql_query: {
        query: 'UPDATE counters SET n = $2::bigint + 1, mark = $3 WHERE id = $1 RETURNING n, mark',
        parameters: ['$PAYLOAD.id', 'seen', '$GENERATOR.ULID'],
      },
    },
  ],
  returnables: ['n', 'mark'],
});

const FILES = {
  'definitions/models/_counter.model.json': {
    id: { type: 'String', primary_key: true },
    n: { type: 'Number' },
    mark: { type: 'String', optional: true },
  },
  'definitions/resources.json': [
    // The pause makes sure that two of these always overlap.
    bump('slow-bump', 'SELECT n, pg_sleep(0.02)::text AS pause FROM counters WHERE id = $1'),
    {
      id: 'make',
      resource: 'make',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO counters (id, n) VALUES ($1, 0)', parameters: ['$PAYLOAD.id'] },
        },
      ],
      returnables: ['n'],
    },
    {
      id: 'read',
      resource: 'read',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'SELECT n, mark FROM counters WHERE id = $1', parameters: ['$PAYLOAD.id'] },
        },
      ],
      returnables: ['n', 'mark'],
    },
    {
      id: 'half',
      resource: 'half',
      actionables: [
        {
          id: 1,
          mode: 'QUERY',
          sql_query: { query: 'UPDATE counters SET n = 99 WHERE id = $1', parameters: ['$PAYLOAD.id'] },
        },
        {
          id: 2,
          mode: 'QUERY',
          sql_query: { query: 'INSERT INTO counters (id, n) VALUES ($1, 1)', parameters: ['$PAYLOAD.id'] },
        },
      ],
      returnables: ['n'],
    },
  ],
};

const write = (id: number, query: string): object => ({
  id,
  mode: 'QUERY',
  sql_query: { query, parameters: ['$PAYLOAD.id'] },
});
const RAISE = 'UPDATE counters SET n = n + 1 WHERE id = $1 RETURNING n';
const TWICE = 'INSERT INTO counters (id, n) VALUES ($1, 1)';
const sequence = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables,
  returnables: ['n'],
  ...rest,
});

/** Each increments a counter and then fails: the remaining value shows where transactions began and ended. */
const BOUNDS = {
  'definitions/models/_counter.model.json': FILES['definitions/models/_counter.model.json'],
  'definitions/resources.json': [
    ...FILES['definitions/resources.json'].slice(1, 3),
    sequence('together', [write(1, RAISE), write(2, RAISE), write(3, TWICE)]),
    sequence('each', [write(1, RAISE), write(2, RAISE), write(3, TWICE)], { transaction: false }),
    sequence('said', [write(1, RAISE), write(2, TWICE)], { transaction: true }),
    sequence('across-return', [write(1, RAISE), { id: 2, mode: 'RETURN', value: 1 }, write(3, RAISE), write(4, TWICE)]),
    sequence('across-resources', [
      write(1, RAISE),
      { ...write(2, TWICE), depends_on: [{ resource_id: 'each', action_ids: [1] }] },
    ]),
    sequence('late-refusal', [
      write(1, RAISE),
      { ...write(2, 'SELECT n FROM counters WHERE id = $1 AND n < 0'), must_return_value: true },
    ]),
    sequence('never-found', [
      write(1, RAISE),
      {
        ...write(2, RAISE),
        depends_on: [{ resource_id: 'self', action_ids: [1], extract_response_for: [{ extract: '5.n', for: 'x' }] }],
      },
    ]),
  ],
};

describeOnBothDatabases('transactions', { files: BOUNDS }, (kernel) => {
  for (const [path, status, left] of [
    ['together', 409, 0],
    ['each', 409, 2],
    ['said', 409, 0],
    ['across-return', 409, 0],
    ['across-resources', 409, 0],
    ['late-refusal', 404, 0],
    ['never-found', 422, 0],
  ] as const) {
    it(`${path}: keep ${left} of the writes before the failure`, async () => {
      await kernel().post('/make', { id: path });
      expect((await kernel().post(`/${path}`, { id: path })).status).to.equal(status);
      expect((await kernel().post('/read', { id: path })).body['n']).to.equal(left);
    });
  }

  it('release their connection at the end: many in a row', async () => {
    await kernel().post('/make', { id: 'many' });
    const rounds = Array.from({ length: 30 }, () => kernel().post('/late-refusal', { id: 'many' }));
    for (const { status } of await Promise.all(rounds)) expect([404, 409]).to.include(status);
    expect((await kernel().post('/read', { id: 'many' })).body['n']).to.equal(0);
  });
});

describeOnBothDatabases('transactions', { files: FILES }, (kernel) => {
  const read = async (id: string): Promise<unknown> => (await kernel().post('/read', { id })).body['n'];

  it('retry a pair after a conflict: both count, and the caller does not notice', async function () {
    await kernel().post('/make', { id: 'pair' });
    for (let round = 1; round <= 10; round++) {
      const answers = await Promise.all([1, 2].map(() => kernel().post('/slow-bump', { id: 'pair' })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      const marks = answers.map(({ body }) => body['mark']);
      // The row contains the id of the later one as it was returned: ids are generated once, however often the work
      // runs.
      expect(marks).to.include((await kernel().post('/read', { id: 'pair' })).body['mark']);
      expect(await read('pair')).to.equal(2 * round);
    }
  });

  it('lose none of many concurrent ones: each is counted, or rejected with 409', async function () {
    await kernel().post('/make', { id: 'many' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => kernel().post('/slow-bump', { id: 'many' })));
    const counted = answers.filter(({ status }) => status === 200).length;
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body['code']]).to.deep.equal([409, 'QRY_SERIALIZATION']);
    }
    expect(counted).to.be.greaterThan(0);
    expect(await read('many')).to.equal(counted);
  });

  it('roll back earlier writes after a later failure', async () => {
    await kernel().post('/make', { id: 'half' });
    const { status, body } = await kernel().post('/half', { id: 'half' });
    expect([status, body['code']]).to.deep.equal([409, 'QRY_UNIQUE']);
    expect(await read('half')).to.equal(0);
  });
});
