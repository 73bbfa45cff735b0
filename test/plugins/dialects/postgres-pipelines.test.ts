/**
 * Pipelining on a connection to a PostgreSQL server: BEGIN with the first statement, COMMIT with the last, inserts one
 * after another. Whatever fails in between, nothing is half stored and no connection is lost.
 */
import { expect } from 'chai';
import pg from 'pg';
import postgres from '../../../plugins/dialects/postgres/runtime.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import type { Dialect, Row, Transaction } from '../../../plugins/dialects/kind.js';
import { createPostgresDatabase, startPostgres } from '../../support/postgres.js';
import { openDialect } from '../../contracts/dialect-open.js';
import type { OpenDialect } from '../../contracts/dialect-support.js';
import { catchFault } from '../../contracts/dialect-support.js';
import { skipTest } from '../../support/skip.js';
import { waitUntil } from '../../support/until.js';
import { BY_LOCKS, SERIALIZABLE } from '../../../plugins/dialects/kind.js';

const ADD = 'INSERT INTO entry (id) VALUES ($1)';
const COUNT = 'SELECT count(*) AS n FROM entry';

describe('dialect postgres, pipelines', () => {
  let url = '';
  let admin: pg.Client;
  const opened: OpenDialect[] = [];

  async function open(options: Readonly<Record<string, unknown>> = {}): Promise<Dialect> {
    const made = await openDialect(postgres, { url, ...options });
    opened.push(made);
    return made.handle;
  }

  /** As `open`, with commits that do not wait for the disk. */
  const openRelaxed = (options: Readonly<Record<string, unknown>> = {}): Promise<Dialect> => {
    const address = new URL(url);
    address.searchParams.set('options', '-c synchronous_commit=off');
    return open({ url: address.href, ...options });
  };

  const run = (
    handle: Dialect,
    sql: string,
    values: readonly unknown[] = [],
    transaction: Transaction | null = null,
    last = false,
  ): Promise<readonly Row[]> =>
    handle.run(handle.prepare({ scan: scanSql(sql), jsonColumns: [] }), values, transaction, last);

  const count = async (handle: Dialect): Promise<unknown> => (await run(handle, COUNT))[0]?.['n'];

  const OURS = `FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'lintel'`;
  const backends = async (where: string): Promise<number> =>
    (await admin.query(`SELECT pid ${OURS} AND ${where}`)).rowCount ?? -1;

  before(async function () {
    const server = await startPostgres();
    if ('skip' in server) return skipTest(this, server.skip);
    url = await createPostgresDatabase();
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    await admin.query(`CREATE TABLE parent (id int PRIMARY KEY);
      CREATE TABLE entry (id int PRIMARY KEY,
        late int REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED)`);
  });
  beforeEach(() => admin.query('TRUNCATE entry'));
  afterEach(() => Promise.all(opened.splice(0).map((made) => made.close())));
  after(() => admin?.end());

  it('commits with the last statement, before the commit is requested', async () => {
    const handle = await open();
    const transaction = await handle.begin(BY_LOCKS);
    await run(handle, ADD, [1], transaction);
    await run(handle, ADD, [2], transaction, true);
    expect((await admin.query('SELECT id FROM entry')).rowCount).to.equal(2);
    await handle.commit(transaction);
    expect((await catchFault(handle.commit(transaction))).code).to.equal('QRY_FAILED');
    expect((await catchFault(run(handle, ADD, [3], transaction))).code).to.equal('QRY_FAILED');
    await handle.rollback(transaction);
    expect(await count(handle)).to.equal(2);
  });

  it('begins and commits with the only statement', async () => {
    const handle = await open();
    const transaction = await handle.begin(SERIALIZABLE);
    expect(await run(handle, ADD, [1], transaction, true)).to.deep.equal([{ id: 1, late: null }]);
    await handle.commit(transaction);
    expect(await count(handle)).to.equal(1);
  });

  it('keeps nothing when the first, the last or the only statement fails', async () => {
    const handle = await open({ pool_size: 1 });
    await run(handle, ADD, [1]);
    for (const [ids, failsAt] of [
      [[1], 0],
      [[1, 2], 0],
      [[2, 1], 1],
      [[2, 3, 1], 2],
    ] as const) {
      const transaction = await handle.begin(BY_LOCKS);
      for (const [at, id] of ids.entries()) {
        const work = run(handle, ADD, [id], transaction, at === ids.length - 1);
        if (at < failsAt) await work;
        else {
          expect((await catchFault(work)).code).to.equal('QRY_UNIQUE');
          break;
        }
      }
      await handle.rollback(transaction);
      expect(await count(handle)).to.equal(1);
    }
  });

  it('reports a failure of the commit itself, and keeps nothing', async () => {
    const handle = await open({ pool_size: 1 });
    const transaction = await handle.begin(BY_LOCKS);
    await run(handle, ADD, [1], transaction);
    const late = run(handle, 'INSERT INTO entry (id, late) VALUES ($1, $2)', [2, 77], transaction, true);
    expect((await catchFault(late)).code).to.equal('QRY_FOREIGN_KEY');
    await handle.rollback(transaction);
    expect(await count(handle)).to.equal(0);
  });

  it('rolls back a transaction whose statement was cancelled', async () => {
    const handle = await open();
    const transaction = await handle.begin(BY_LOCKS);
    await run(handle, ADD, [1], transaction);
    const slow = catchFault(run(handle, 'SELECT pg_sleep(10)', [], transaction, true));
    await waitUntil(async () => (await backends(`wait_event = 'PgSleep'`)) === 1);
    await admin.query(`SELECT pg_cancel_backend(pid) ${OURS} AND wait_event = 'PgSleep'`);
    expect((await slow).code).to.equal('QRY_TIMEOUT');
    await handle.rollback(transaction);
    expect(await count(handle)).to.equal(0);
    expect(await backends(`state LIKE 'idle in transaction%'`)).to.equal(0);
  });

  for (const last of [false, true]) {
    it(`returns 503 for a connection cut during ${last ? 'the last' : 'a'} statement, keeps nothing, and the pool continues`, async () => {
      const handle = await open({ pool_size: 1 });
      const transaction = await handle.begin(BY_LOCKS);
      await run(handle, ADD, [1], transaction);
      const cut = catchFault(run(handle, 'SELECT pg_sleep(10)', [], transaction, last));
      await waitUntil(async () => (await backends(`wait_event = 'PgSleep'`)) === 1);
      await admin.query(`SELECT pg_terminate_backend(pid) ${OURS} AND wait_event = 'PgSleep'`);
      const fault = await cut;
      expect(fault.code).to.equal('QRY_UNAVAILABLE');
      // During the commit the outcome is unknown; before it, it is known.
      expect(fault.params['outcome'] !== undefined).to.equal(last);
      expect(fault.options.retryable === true).to.equal(!last);
      await handle.rollback(transaction);
      expect(await count(handle)).to.equal(0);
    });
  }

  it('loses no connection in a thousand transactions that end in every way', async function () {
    const handle = await open({ pool_size: 3 });
    await run(handle, ADD, [0]);
    const runTransaction = async (n: number): Promise<void> => {
      const transaction = await handle.begin(n % 2 === 0 ? SERIALIZABLE : BY_LOCKS);
      try {
        if (n % 7 === 0) throw new Error('given up before the first statement');
        await run(handle, ADD, [n % 5 === 0 ? 0 : n], transaction);
        await run(handle, ADD, [n % 3 === 0 ? 0 : -n], transaction, n % 2 === 1);
        await handle.commit(transaction);
      } catch {
        await handle.rollback(transaction);
      }
    };
    for (let round = 0; round < 10; round++) {
      await Promise.all(Array.from({ length: 100 }, (_, n) => runTransaction(round * 100 + n + 1)));
    }
    const kept = Array.from({ length: 1000 }, (_, n) => n + 1).filter((n) => n % 7 && n % 5 && n % 3).length;
    expect(await count(handle)).to.equal(1 + 2 * kept);
    expect(await backends(`state LIKE 'idle in transaction%'`)).to.equal(0);
    // Each of the connections can still be had.
    const held = await Promise.all([1, 2].map(() => handle.begin(BY_LOCKS)));
    await Promise.all(held.map((transaction) => handle.rollback(transaction)));
  });

  it('runs inserts without their own connection if commits do not wait for the disk', async () => {
    const handle = await openRelaxed({ pool_size: 10 });
    const held = await Promise.all(Array.from({ length: 5 }, () => handle.begin(BY_LOCKS)));
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => run(handle, ADD, [n % 10 === 9 ? 0 : n])),
    );
    expect(answers.filter(({ status }) => status === 'rejected').length).to.equal(5);
    expect(await count(handle)).to.equal(45);
    await Promise.all(held.map((transaction) => handle.rollback(transaction)));
  });

  it('does not delay reads while an insert waits for a lock, and other inserts only briefly', async () => {
    const handle = await openRelaxed();
    const transaction = await handle.begin(BY_LOCKS);
    await run(handle, ADD, [1], transaction);
    const waiting = catchFault(run(handle, ADD, [1]));
    await waitUntil(
      async () =>
        (await backends(`wait_event_type = 'Lock'
      AND clock_timestamp() - query_start > interval '40 ms'`)) === 1,
    );
    expect(await count(handle)).to.equal(0);
    await Promise.all(Array.from({ length: 20 }, (_, n) => run(handle, ADD, [n + 2])));
    expect(await count(handle)).to.equal(20);
    await handle.commit(transaction);
    expect((await waiting).code).to.equal('QRY_UNIQUE');
  });

  it('reports an unknown outcome for an insert on a shared connection that is cut, and does not repeat it', async () => {
    const handle = await openRelaxed();
    const write = catchFault(run(handle, 'INSERT INTO entry (id) VALUES (length(pg_sleep(10)::text))'));
    await waitUntil(async () => (await backends(`wait_event = 'PgSleep'`)) === 1);
    await admin.query(`SELECT pg_terminate_backend(pid) ${OURS}`);
    const fault = await write;
    expect(fault.code).to.equal('QRY_UNAVAILABLE');
    expect(fault.params['outcome']).to.match(/not known/);
    await waitUntil(async () => (await backends('true')) === 0);
    // If one of these had run, the next would always be rejected.
    await waitUntil(() =>
      run(handle, ADD, [5]).then(
        () => true,
        () => false,
      ),
    );
    expect(await count(handle)).to.equal(1);
  });
});
