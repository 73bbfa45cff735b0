/**
 * `parallel` over real HTTP: concurrency is shown by actionables that wait for one another (the fixture plugin
 * `meeting`, and a function in the database), never by durations.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import pg from 'pg';
import { describeOnBothDatabases, startKernel, type TestKernel } from '../support/kernel.js';
import { createPostgresDatabase, startPostgres } from '../support/postgres.js';
import { PLUGIN_FIXTURES } from '../support/project.js';
import { skipTest } from '../support/skip.js';

const MEETING = join(PLUGIN_FIXTURES, 'meeting');
const resource = (id: string, actionables: readonly object[], rest: object = {}): object => ({
  id,
  resource: id,
  actionables: actionables.map((action, index) => ({ id: index + 1, ...action })),
  ...rest,
});

describe('parallel', () => {
  const meet = (name: string, party: string, size: number, rest: object = {}): object => ({
    mode: 'MEET',
    name,
    party,
    size,
    ...rest,
  });
  const at = { parallel: true };
  const files = {
    'definitions/a.json': [
      resource('pair', [meet('ada', 'pair', 2, at), meet('bo', 'pair', 2, at)], { returnables: ['ada', 'bo'] }),
      resource('whole', [meet('ada', 'whole', 3), meet('bo', 'whole', 3), meet('cy', 'whole', 3)], at),
      resource('groups', [
        meet('a', 'first', 2, at),
        meet('b', 'first', 2, at),
        meet('alone', 'alone', 1),
        meet('c', 'second', 2, at),
        meet('d', 'second', 2, at),
      ]),
      resource('lonely', [meet('one', 'one', 1), meet('two', 'two', 1, at), meet('three', 'three', 1)]),
      resource('failures', [
        meet('calm', 'storm', 3, { ...at, lingers: true }),
        meet('first', 'storm', 3, { ...at, lingers: true, fails: true }),
        meet('second', 'storm', 3, { ...at, fails: true }),
        meet('never', 'never', 1),
      ]),
      resource('named', [
        meet('ada', 'named', 2, { ...at, extract_response_for: [{ extract: 'ada', for: 'was_ada' }] }),
        meet('bo', 'named', 2, { ...at, extract_response_for: [{ extract: 'self_', for: 'all_bo' }] }),
        { mode: 'RETURN', value: { ada: '$PAYLOAD.was_ada', bo: '$PAYLOAD.all_bo' } },
      ]),
    ],
  };
  let kernel: TestKernel;
  let events: string[];
  before(async () => {
    kernel = await startKernel({ files, config: { plugins: ['builtin:*', MEETING] } });
    ({ events } = (await import(pathToFileURL(join(MEETING, 'runtime.js')).href)) as { events: string[] });
  });
  beforeEach(() => void (events.length = 0));
  after(() => kernel.close());

  it('runs adjacent actionables concurrently', async () => {
    const { status, body } = await kernel.post('/pair');
    expect([status, body]).to.deep.equal([200, { ada: true, bo: true }]);
    expect(events.slice(0, 2)).to.deep.equal(['+ada', '+bo']);
  });

  it('on the resource means all of its actionables; the response is still that of the last one', async () => {
    const { status, body } = await kernel.post('/whole');
    expect([status, body]).to.deep.equal([200, { cy: true }]);
    expect(events.slice(0, 3)).to.deep.equal(['+ada', '+bo', '+cy']);
  });

  it('makes an actionable that is not parallel wait for earlier ones, and later ones wait for it', async () => {
    expect((await kernel.post('/groups')).body).to.deep.equal({ d: true });
    expect(events.slice(0, 2)).to.deep.equal(['+a', '+b']);
    expect(events.slice(4, 8)).to.deep.equal(['+alone', '-alone', '+c', '+d']);
  });

  it('treats a single one like any other', async () => {
    expect((await kernel.post('/lonely')).body).to.deep.equal({ three: true });
    expect(events).to.deep.equal(['+one', '-one', '+two', '-two', '+three', '-three']);
  });

  it('returns the first failure in the order of the definition, after all have ended', async () => {
    const { status, body } = await kernel.post('/failures');
    expect([status, body['code'], body['detail']]).to.deep.equal([409, 'MET_FAILED', 'first failed.']);
    expect(events).to.deep.equal(['+calm', '+first', '+second', '-calm']);
  });

  it('sets names for later actionables when all have run', async () => {
    expect((await kernel.post('/named')).body).to.deep.equal({ ada: true, bo: { bo: true } });
  });

  it('is shown in the plan', () => {
    const { describe: plan } = kernel.kernel.plans().byId.get('groups')?.summary ?? {};
    expect(plan).to.have.nested.property('run[0].together', 'at once');
    expect(plan).to.have.nested.property('run[1].together', null);
  });
});

/** Counts the callers, outside of any transaction, and waits until enough have arrived. */
const MEET_SQL = `
  CREATE SEQUENCE arrivals_2;
  CREATE SEQUENCE arrivals_4;
  CREATE FUNCTION meet(size int) RETURNS int LANGUAGE plpgsql AS $$
  DECLARE mine int := nextval('arrivals_' || size); target int := ((mine - 1) / size + 1) * size; came bigint;
  BEGIN
    FOR i IN 1..300 LOOP
      EXECUTE 'SELECT last_value FROM arrivals_' || size INTO came;
      IF came >= target THEN RETURN mine; END IF;
      PERFORM pg_sleep(0.01);
    END LOOP;
    RAISE EXCEPTION 'nobody else came';
  END $$;`;

const together = (id: string, size: number, more: object = {}): object =>
  resource(
    id,
    Array.from({ length: size }, (_, i) => ({
      mode: 'QUERY',
      sql_query: { query: `SELECT pg_backend_pid() AS pid${i}, meet(${size}) AS came${i}`, parameters: [] },
    })),
    { parallel: true, returnables: Array.from({ length: size }, (_, i) => `pid${i}`), ...more },
  );

describe('parallel statements (postgres)', () => {
  let url: string;
  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    url = await createPostgresDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query(MEET_SQL);
    await client.end();
  });
  const start = (files: object, options: object = {}): Promise<TestKernel> =>
    startKernel({
      files: { 'definitions/a.json': files },
      config: { connections: { main: { use: 'postgres', url: '$ENV.DATABASE_URL', ...options } } },
      env: { DATABASE_URL: url },
    });

  it('run on their own connections, concurrently', async () => {
    const kernel = await start([together('two', 2), together('four', 4)]);
    for (const [path, size] of [
      ['/two', 2],
      ['/four', 4],
    ] as const) {
      const { status, body } = await kernel.post(path);
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(new Set(Object.values(body)).size).to.equal(size);
    }
    await kernel.close();
  });

  it('are not a transaction: the writes of one remain when another fails', async () => {
    const write = (query: string): object => ({ mode: 'QUERY', sql_query: { query, parameters: [] } });
    const kernel = await start([
      { _mark: { n: { type: 'Number', primary_key: true } } },
      resource('half', [write('INSERT INTO marks VALUES (1)'), write('INSERT INTO marks VALUES (1 / (SELECT 0))')], {
        parallel: true,
      }),
      resource('count', [write('SELECT count(*)::int AS n FROM marks')]),
    ]);
    expect((await kernel.post('/half')).status).to.be.at.least(400);
    expect((await kernel.post('/count')).body).to.deep.equal({ n: 1 });
    await kernel.close();
  });

  it('never hold one connection while they wait for another: a pool of one serves them all', async () => {
    const five = Array.from({ length: 5 }, (_, i) => ({
      mode: 'QUERY',
      sql_query: { query: `SELECT ${i} AS n${i}, pg_sleep(0.001)::text AS pause`, parameters: [] },
    }));
    const names = five.map((_, i) => `n${i}`);
    const kernel = await start([resource('five', five, { parallel: true, returnables: names })], { pool_size: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => kernel.post('/five')));
    for (const { status, body } of answers) {
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(Object.keys(body)).to.deep.equal(names);
    }
    await kernel.close();
  });
});

const INSERTS = {
  'definitions/_mark.json': { id: { type: 'Number', primary_key: true }, who: { type: 'String' } },
  'definitions/a.json': [
    resource(
      'both',
      [1, 2].map((n) => ({
        mode: 'QUERY',
        sql_query: {
          query: `INSERT INTO marks (id, who) VALUES ($1 + ${n}, $2)`,
          parameters: ['$PAYLOAD.from', 'who'],
        },
        returnables: ['id', 'who'],
        extract_response_for: [{ extract: 'id', for: `id${n}` }],
      })),
      { parallel: true, returnables: ['who', 'id1', 'id2'] },
    ),
    resource(
      'twice',
      [1, 2].map(() => ({
        mode: 'QUERY',
        sql_query: { query: 'INSERT INTO marks (id, who) VALUES ($1, $2)', parameters: ['id', 'who'] },
        parallel: true,
      })),
    ),
    resource('all', [
      { mode: 'QUERY', result: 'many', sql_query: { query: 'SELECT id FROM marks ORDER BY id', parameters: [] } },
    ]),
  ],
};

describeOnBothDatabases('parallel writes', { files: INSERTS }, (kernel) => {
  it('all return their results', async () => {
    const { status, body } = await kernel().post('/both', { from: 10, who: 'ada' });
    expect([status, body]).to.deep.equal([200, { who: 'ada', id1: 11, id2: 12 }]);
  });

  it('return the failure of one, and the other has run', async () => {
    const { status, body } = await kernel().post('/twice', { id: 20, who: 'bo' });
    expect([status, body['code']]).to.deep.equal([409, 'QRY_UNIQUE']);
    expect((await kernel().post('/all')).body).to.deep.equal([{ id: 11 }, { id: 12 }, { id: 20 }]);
  });

  it('of many requests all return', async () => {
    const rounds = Array.from({ length: 20 }, (_, i) => ({ from: 1000 + 10 * i, who: 'cy' }));
    const answers = await Promise.all(rounds.map((body) => kernel().post('/both', body)));
    expect(answers.map(({ status }) => status)).to.deep.equal(rounds.map(() => 200));
    expect((await kernel().post('/all')).body).to.have.length(43);
  });
});
