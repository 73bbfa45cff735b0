/**
 * On PostgreSQL a locked read and the change that uses its value are one statement: the stored value, and the effects
 * of a missing row, a failure of either, and a lock of another session, also until the deadline.
 */
import { expect } from 'chai';
import pg from 'pg';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { startKernel, type TestKernel } from '../support/kernel.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';

const READ = 'SELECT name, total, open FROM items WHERE id = $1';
const CHANGE = 'UPDATE items SET total = $2::bigint + $3::bigint WHERE id = $1 RETURNING id, total';

interface Chain {
  readonly read?: string;
  readonly change?: string;
  readonly parameters?: readonly unknown[];
  readonly extract?: string;
  readonly readRest?: object;
  readonly changeRest?: object;
}

const defineChain = (id: string, chain: Chain = {}): object => ({
  id,
  resource: id,
  actionables: [
    {
      ...{ id: 1, mode: 'QUERY', no_op: true, must_return_value: true },
      sql_query: { query: chain.read ?? READ, parameters: ['id'] },
      ...chain.readRest,
    },
    {
      ...{ id: 2, mode: 'QUERY' },
      depends_on: [
        {
          ...{ resource_id: 'self', action_ids: [1] },
          extract_response_for: [{ extract: chain.extract ?? 'total', for: 'found' }],
        },
      ],
      sql_query: { query: chain.change ?? CHANGE, parameters: chain.parameters ?? ['id', 'found', 'amount'] },
      ...chain.changeRest,
    },
  ],
});

const COPY = 'UPDATE items SET copy = $2::text WHERE id = $1 RETURNING id, copy';

const TOGETHER: Readonly<Record<string, Chain>> = {
  plain: {},
  'of-payload': { parameters: ['$PAYLOAD.id', '$PAYLOAD.found', '$PAYLOAD.amount'] },
  cast: { change: CHANGE.replace('$2::bigint', 'CAST($2 AS numeric)') },
  conditional: { read: `${READ} AND total >= 0` },
  bounded: { change: CHANGE.replace('id = $1', 'id = $1 AND total < 10') },
  silent: { change: CHANGE.replace(' RETURNING id, total', '') },
  commented: { read: `/* $9 */ ${READ} -- the end`, change: `${CHANGE}; -- $7` },
  'with-deletion': {
    change: 'DELETE FROM items WHERE id = $1 AND total = $2::bigint AND $3::bigint > 0 RETURNING id, total',
  },
  text: { extract: 'name', change: COPY, parameters: ['id', 'found'] },
  flag: { extract: 'open', change: COPY, parameters: ['id', 'found'] },
};

/** Statements between the two, or values that are not certain to be equal. */
const APART: Readonly<Record<string, Chain>> = {
  'without-cast': { change: CHANGE.replace('$2::bigint + $3::bigint', '$2'), parameters: ['id', 'found'] },
  computed: { read: 'SELECT total + 1 AS total FROM items WHERE id = $1' },
  called: { read: READ.replace('id = $1', 'id = $1 AND length(name) > 0') },
  stopping: { readRest: { on_empty: { stop: true } } },
  shaped: { readRest: { returnables: ['total'] } },
  generated: {
    parameters: ['to', 'found', '$GENERATOR.UUID'],
    change: 'UPDATE copies SET content = $2::text || $3::text WHERE id = $1',
  },
  either: { change: CHANGE.replace('id = $1', 'id = $1 AND (total >= 0 OR open)') },
  demanding: { changeRest: { must_return_value: true } },
  joined: {
    change: 'UPDATE items SET total = $2::bigint + $3::bigint FROM copies WHERE items.id = $1 AND copies.id = items.id',
  },
};

const createFiles = (chains: Readonly<Record<string, Chain>>): Readonly<Record<string, unknown>> => ({
  'definitions/models/_items.json': {
    id: { type: 'String', primary_key: true },
    name: { type: 'String', optional: true },
    total: { type: 'Number' },
    open: { type: 'Boolean', optional: true },
    copy: { type: 'String', optional: true },
  },
  'definitions/models/_copies.json': {
    id: { type: 'String', primary_key: true },
    content: { type: 'String', optional: true },
  },
  'definitions/resources.json': Object.entries(chains).map(([id, chain]) => defineChain(id, chain)),
});

interface Item {
  readonly name?: string | null;
  readonly total?: string | number | null;
  readonly open?: boolean | null;
}

describe('statements sent together', () => {
  let kernel!: TestKernel;
  /** Serves the chains that are sent separately; some make transactions serializable, which the others are not. */
  let other!: TestKernel;
  let client!: pg.Client;
  let url = '';
  let made = 0;

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    url = await createPostgresDatabase();
    client = new pg.Client({ connectionString: url });
    await client.connect();
    const config = { connections: { main: { use: 'postgres', url } } };
    kernel = await startKernel({ files: createFiles(TOGETHER), config });
    other = await startKernel({ files: createFiles(APART), config });
    await client.query('ALTER TABLE items ADD CONSTRAINT not_much CHECK (total < 1000)');
  });
  after(async () => {
    await Promise.all([kernel?.close(), other?.close()]);
    await client?.end();
  });

  const makeItem = async ({ name = 'one', total = 5, open = true }: Item = {}): Promise<string> => {
    const id = `item-${made++}`;
    await client.query('INSERT INTO items (id, name, total, open) VALUES ($1, $2, $3, $4)', [id, name, total, open]);
    return id;
  };
  const readTotal = async (id: string): Promise<unknown> =>
    (await client.query<{ total: string }>('SELECT total FROM items WHERE id = $1', [id])).rows[0]?.total;
  const describePlan = (id: string): string =>
    JSON.stringify((id in TOGETHER ? kernel : other).kernel.plans().byId.get(id)?.summary.describe);

  for (const id of Object.keys(TOGETHER))
    it(`${id}: are planned`, () => expect(describePlan(id)).to.contain('"at_once":'));
  for (const id of Object.keys(APART))
    it(`${id}: are not planned`, () => expect(describePlan(id)).not.to.contain('"at_once":'));

  for (const id of ['plain', 'of-payload', 'cast', 'commented', 'without-cast', 'computed', 'demanding'])
    it(`${id}: store what the change computes from the value`, async () => {
      const item = await makeItem();
      const answer = await (id in TOGETHER ? kernel : other).post(`/${id}`, { id: item, amount: 7 });
      const expected = { 'without-cast': 5, computed: 13 }[id] ?? 12;
      expect([answer.status, answer.body, await readTotal(item)]).to.deep.equal([
        200,
        { id: item, total: expected },
        String(expected),
      ]);
    });

  it('are one statement', async () => {
    await kernel.post('/plain', { id: await makeItem(), amount: 7 });
    const last = await client.query(
      `SELECT FROM pg_stat_activity WHERE state = 'idle' AND query LIKE 'WITH lintel_read%'`,
    );
    expect(last.rowCount).to.be.greaterThan(0);
  });

  it('return nothing where the change does', async () => {
    const item = await makeItem();
    expect((await kernel.post('/silent', { id: item, amount: 7 })).body).to.equal(null);
    expect(await readTotal(item)).to.equal('12');
  });

  it('use the version of the row behind a lock that they waited for', async () => {
    for (const [id, total, behind, expected] of [
      ['plain', 5, 50, '57'],
      // The older version does not meet the condition.
      ['bounded', 50, 5, '12'],
      ['bounded', 5, 50, '50'],
    ] as const) {
      const item = await makeItem({ total });
      await client.query('BEGIN');
      await client.query('UPDATE items SET total = $2 WHERE id = $1', [item, behind]);
      const answer = kernel.post(`/${id}`, { id: item, amount: 7 });
      await waitUntil(async () => {
        const waiting = await client.query(`SELECT FROM pg_locks WHERE NOT granted`);
        return waiting.rowCount !== 0;
      }, 'the statement waits');
      await client.query('COMMIT');
      expect([(await answer).status, await readTotal(item)]).to.deep.equal([200, expected]);
    }
  });

  it('name the field of a value that the database rejects', async () => {
    const item = await makeItem();
    const answer = await kernel.post('/plain', { id: item, amount: 'much' });
    expect([answer.status, answer.body['errors']]).to.deep.equal([
      422,
      [{ pointer: '/amount', code: 'QRY_BAD_VALUE', detail: 'does not fit the type that the query expects' }],
    ]);
  });

  it('delete by the value', async () => {
    const item = await makeItem({ total: 8 });
    expect((await kernel.post('/with-deletion', { id: item, amount: 1 })).body).to.deep.equal({ id: item, total: 8 });
    expect(await readTotal(item)).to.equal(undefined);
  });

  it('store each text and boolean unchanged, and null as null', async () => {
    for (const name of ['', ' ', "'; --", '$1', '\ufeffé', 'é', 'true', '0x7', null]) {
      const id = await makeItem({ name });
      expect((await kernel.post('/text', { id })).body).to.deep.equal({ id, copy: name });
    }
    for (const open of [true, false, null]) {
      const id = await makeItem({ open });
      const copy = open === null ? null : String(open);
      expect((await kernel.post('/flag', { id })).body).to.deep.equal({ id, copy });
    }
  });

  it('change nothing if the read finds nothing', async () => {
    const item = await makeItem({ total: -1 });
    const answer = await kernel.post('/conditional', { id: item, amount: 1 });
    expect([answer.status, answer.body['code'], await readTotal(item)]).to.deep.equal([404, 'ACT_NO_VALUE', '-1']);
  });

  it('roll back a change that a constraint rejects, and continue', async () => {
    const item = await makeItem({ total: 990 });
    const rejected = await kernel.post('/plain', { id: item, amount: 20 });
    expect([rejected.status, await readTotal(item)]).to.deep.equal([422, '990']);
    expect((await kernel.post('/plain', { id: item, amount: 9 })).body).to.deep.equal({ id: item, total: 999 });
  });

  it('name the statement whose value is missing', async () => {
    const item = await makeItem();
    const answer = await kernel.post('/of-payload', { id: item });
    expect([answer.status, await readTotal(item)]).to.deep.equal([422, '5']);
  });

  it('count each of 200 parallel changes of one row', async () => {
    const item = await makeItem({ total: 0 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => kernel.post('/plain', { id: item, amount: 1 })),
    );
    expect(answers.filter(({ status }) => status !== 200)).to.deep.equal([]);
    expect(new Set(answers.map(({ body }) => body['total'])).size).to.equal(200);
    expect(await readTotal(item)).to.equal('200');
  });

  it('change nothing after the deadline of the request', async () => {
    const item = await makeItem();
    const hasty = await startKernel({
      files: createFiles({ plain: {} }),
      config: { connections: { main: { use: 'postgres', url } }, http: { timeouts: { request: 1 } } },
    });
    await client.query('BEGIN');
    await client.query('SELECT FROM items WHERE id = $1 FOR UPDATE', [item]);
    const answer = await hasty.post('/plain', { id: item, amount: 1 });
    expect(answer.status).to.be.oneOf([503, 504]);
    // The statement that waits is cancelled, so it cannot run when the lock is released.
    const watcher = new pg.Client({ connectionString: url });
    await watcher.connect();
    await waitUntil(async () => {
      const waiting = await watcher.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return waiting.rowCount === 0;
    }, 'the statement is cancelled');
    await client.query('COMMIT');
    await Promise.all([watcher.end(), hasty.close()]);
    expect(await readTotal(item)).to.equal('5');
  });
});
