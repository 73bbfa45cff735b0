/** Transactions over real HTTP, on both databases: all or nothing, no lost updates, tried again where that can help. */
import { expect } from 'chai';
import { onBothDatabases } from '../support/kernel.js';

/** Reads without a lock, then writes what it read plus one: the pair that loses updates where nobody takes care. */
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

onBothDatabases('transactions', { files: FILES }, (kernel) => {
  const read = async (id: string): Promise<unknown> => (await kernel().post('/read', { id })).body['n'];

  it('a pair that met another is run again: both count, and the caller sees nothing of it', async function () {
    this.timeout(30_000);
    await kernel().post('/make', { id: 'pair' });
    for (let round = 1; round <= 10; round++) {
      const answers = await Promise.all([1, 2].map(() => kernel().post('/slow-bump', { id: 'pair' })));
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200]);
      const marks = answers.map(({ body }) => body['mark']);
      // The row holds the id of the later one as it was answered: ids are made once, however often the work is run.
      expect(marks).to.include((await kernel().post('/read', { id: 'pair' })).body['mark']);
      expect(await read('pair')).to.equal(2 * round);
    }
  });

  it('of many at once none is lost: each is counted, or refused with 409', async function () {
    this.timeout(30_000);
    await kernel().post('/make', { id: 'many' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => kernel().post('/slow-bump', { id: 'many' })));
    const counted = answers.filter(({ status }) => status === 200).length;
    for (const { status, body } of answers) {
      if (status !== 200) expect([status, body['code']]).to.deep.equal([409, 'QRY_SERIALIZATION']);
    }
    expect(counted).to.be.greaterThan(0);
    expect(await read('many')).to.equal(counted);
  });

  it('what failed later takes back what was written before', async () => {
    await kernel().post('/make', { id: 'half' });
    const { status, body } = await kernel().post('/half', { id: 'half' });
    expect([status, body['code']]).to.deep.equal([409, 'QRY_UNIQUE']);
    expect(await read('half')).to.equal(0);
  });
});
