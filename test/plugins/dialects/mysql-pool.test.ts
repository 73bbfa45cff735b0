/** Leases, timeouts and shutdown of the MySQL pool, on scripted connections and manual time. */
import { expect } from 'chai';
import type { Connection } from 'mysql2';
import { OverdueError, ConnectionUnavailableError } from '../../../plugins/dialects/mysql/errors.js';
import { createPool, type Pool } from '../../../plugins/dialects/mysql/pool.js';
import type { Lease } from '../../../plugins/dialects/mysql/connection.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';
import {
  createMysqlError,
  ScriptedConnection as Played,
  SETTLED,
  playSilence,
  playVersion,
  type MysqlScript,
} from '../../support/scripted-mysql.js';
type ThreadId = number | undefined | null;
const isUnavailable = (error: unknown): boolean => error instanceof ConnectionUnavailableError;
describe('MySQL connection pool', () => {
  let time: ManualTime;
  let made: Played[] = [];
  let [logged, pools]: [string[], Pool[]] = [[], []];
  beforeEach(() => {
    [made, logged, pools] = [[], [], []];
    time = replaceTime();
  });
  afterEach(async () => {
    const ends = Promise.all(pools.map((pool) => pool.close()));
    await time.advance(5000);
    await ends;
    time.restoreGlobals();
  });
  async function open(plays: readonly MysqlScript[] = [], rest: object = {}, threadId: ThreadId = 7): Promise<Pool> {
    const limits = { rows: 1000, bytes: 1_000_000, checkFrom: 1_000_000 };
    const options = { client: {}, pool: 2, poolWait: 2000, idle: 30_000, deadline: 10_000, limits, ...rest };
    const pool = await createPool(options, { debug: (_, message) => void logged.push(message) }, () => {
      const connection = new Played(threadId ?? undefined, plays[made.length] ?? playVersion('8.4.0'));
      made.push(connection);
      return connection as unknown as Connection;
    });
    pools.push(pool);
    return pool;
  }
  const lease = (pool: Pool): Promise<Lease | string> =>
    pool
      .acquire()
      .catch((error: unknown) => `${isUnavailable(error) ? 'unavailable' : 'other'}: ${(error as Error).message}`);
  const takeLease = async (pool: Pool): Promise<Lease> => {
    const work = lease(pool);
    await time.advance(0);
    return (await work) as Lease;
  };
  /** Index of the leased connection among those created. */
  const findConnectionIndex = async ({ wire }: Lease): Promise<number> => {
    const work = wire.runCommand('which');
    await time.advance(0);
    await work;
    return made.findIndex(({ sent }) => sent.at(-1) === 'which' && sent.push('') > 0);
  };
  const destroyed = (): boolean[] => made.map((one) => one.destroyed > 0);
  const outcome = async (work: Promise<unknown>): Promise<unknown> => {
    const ended = work.catch((error: unknown) => error);
    await time.advance(0);
    return ended;
  };
  const MODE =
    'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,STRICT_ALL_TABLES,STRICT_TRANS_TABLES,NO_ZERO_DATE,NO_ZERO_IN_DATE,' +
    'ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION,ONLY_FULL_GROUP_BY';
  const LEVEL = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  for (const [name, deadline, flavour, collation, lock, own] of [
    ['8.4.0', 10_000, 'mysql', 'utf8mb4_0900_bin', 10, 'max_execution_time = 10000'],
    ['8.4.0', 1500.5, 'mysql', 'utf8mb4_0900_bin', 2, 'max_execution_time = 1501'],
    ['8.4.0', 20, 'mysql', 'utf8mb4_0900_bin', 1, 'max_execution_time = 20'],
    [
      '11.8.1-MariaDB-log',
      10_000,
      'mariadb',
      'utf8mb4_nopad_bin',
      10,
      'max_statement_time = 10, idle_transaction_timeout = 40',
    ],
    [
      '10.6-mariadb',
      1500,
      'mariadb',
      'utf8mb4_nopad_bin',
      2,
      'max_statement_time = 1.5, idle_transaction_timeout = 32',
    ],
  ] as const) {
    it(`sets up a session of ${name} with a timeout of ${deadline} ms`, async () => {
      const pool = await open([playVersion(name)], { deadline });
      const { wire } = await takeLease(pool);
      expect(wire.flavour).to.equal(flavour);
      expect(made.map(({ sent }) => sent)).to.deep.equal([
        [
          'connect',
          'SELECT VERSION()',
          `SET SESSION sql_mode = '${MODE}', time_zone = '+00:00', character_set_client = utf8mb4, ` +
            `character_set_results = utf8mb4, collation_connection = ${collation}, innodb_lock_wait_timeout = ${lock}, ` +
            `${own}, autocommit = 1`,
          LEVEL,
        ],
      ]);
    });
  }

  for (const step of ['connect', 'SELECT VERSION()', 'SET SESSION sql_mode', LEVEL])
    it(`does not open if the first connection fails at ${step}`, async () => {
      const rejected = createMysqlError(1045);
      const play = playVersion('8.4.0', (text) => (text.startsWith(step) ? { error: rejected } : SETTLED));
      const failing = open([(text) => (text === step ? { error: rejected } : play(text))]);
      expect(await outcome(failing)).to.equal(rejected);
      expect([destroyed(), time.timers()]).to.deep.equal([[true], 0]);
    });

  it('returns rows and fields, or the number of written rows', async () => {
    const answers: Record<string, { readonly result: unknown; readonly fields?: unknown }> = {
      a: { result: [['a']], fields: ['f'] },
      b: { result: [] },
      c: { result: { insertId: '9007199254740993', affectedRows: 2 } },
      'SHOW WARNINGS': {
        result: [
          ['Warning', '1292', 'x'],
          ['Note', 1051],
        ],
      },
    };
    const pool = await open([playVersion('8.4.0', (text) => answers[text] ?? SETTLED)]);
    const { wire } = await takeLease(pool);
    const nothing = { rows: null, fields: [], insertId: '0', affected: 0 };
    const timers = time.timers();
    expect(await outcome(wire.run('a', []))).to.deep.equal({ ...nothing, rows: [['a']], fields: ['f'] });
    expect(time.timers()).to.equal(timers);
    expect(await outcome(wire.run('b', []))).to.deep.equal({ ...nothing, rows: [] });
    expect(await outcome(wire.run('c', []))).to.deep.equal({ ...nothing, insertId: '9007199254740993', affected: 2 });
    expect(await outcome(wire.run('d', []))).to.deep.equal(nothing);
    expect(await outcome(wire.readWarnings())).to.deep.equal([1292, 1051]);
  });

  it('reports why the warnings of the server are unknown', async () => {
    const error = createMysqlError(1064);
    const pool = await open([playVersion('8.4.0', (text) => (text === 'SHOW WARNINGS' ? { error } : SETTLED))]);
    expect(await outcome((await takeLease(pool)).wire.readWarnings())).to.equal(error);
  });

  it('returns the connection that was used last, creates others up to its size, and serves the first waiting request first', async () => {
    const pool = await open();
    const [one, two] = [await takeLease(pool), await takeLease(pool)];
    const [third, fourth] = [lease(pool), lease(pool)];
    await time.advance(0);
    expect(made).to.have.length(2);
    two.release(false);
    two.release(false);
    one.release(false);
    const [a, b] = [(await third) as Lease, (await fourth) as Lease];
    expect([await findConnectionIndex(a), await findConnectionIndex(b)]).to.deep.equal([1, 0]);
    // Their timeouts have passed, and no timer is left that would take the turn of another.
    await time.advance(2500);
    b.release(false);
    a.release(false);
    expect([
      await findConnectionIndex(await takeLease(pool)),
      await findConnectionIndex(await takeLease(pool)),
    ]).to.deep.equal([1, 0]);
    expect([made.length, destroyed()]).to.deep.equal([2, [false, false]]);
  });

  it('creates no more than its size, including connections being opened', async () => {
    const pool = await open([playVersion('8.4.0'), playSilence('connect')]);
    const first = await takeLease(pool);
    const waiting = [lease(pool), lease(pool)];
    await time.advance(0);
    expect(made).to.have.length(2);
    first.release(false);
    expect(await waiting[0]).to.be.an('object');
    made[1]?.held[0]?.(null);
    expect(await findConnectionIndex((await waiting[1]) as Lease)).to.equal(1);
  });

  it('rejects only requests that have waited long enough', async () => {
    const pool = await open([], { pool: 1 });
    const held = await takeLease(pool);
    const first = lease(pool);
    await time.advance(1500);
    const second = lease(pool);
    await time.advance(499);
    const third = lease(pool);
    await time.advance(1);
    expect(await first).to.equal('unavailable: no connection became free in time');
    held.release(false);
    const next = (await second) as Lease;
    next.release(false);
    expect(await third).to.be.an('object');
  });

  it('discards a broken or lost connection, and opens a new one for a waiting request', async () => {
    const pool = await open([], { pool: 1 });
    const one = await takeLease(pool);
    const second = lease(pool);
    one.release(true);
    await time.advance(0);
    expect([made.length, destroyed()]).to.deep.equal([2, [true, false]]);
    const two = (await second) as Lease;
    made[1]?.emit('error', new Error('gone'));
    expect([destroyed(), logged]).to.deep.equal([[true, true], ['database connection lost']]);
    two.release(false);
    const three = await takeLease(pool);
    expect(await findConnectionIndex(three)).to.equal(2);
  });

  for (const [title, lose] of [
    ['an error', (one: Played) => one.emit('error', new Error('gone'))],
    ['the end of its stream', (one: Played) => one.stream.emit('close')],
  ] as const)
    it(`removes an idle connection after ${title}`, async () => {
      const pool = await open([], { pool: 1 });
      lose(made[0] as Played);
      expect(destroyed()).to.deep.equal([true]);
      expect(await findConnectionIndex(await takeLease(pool))).to.equal(1);
    });

  it('discards the connection of a lost statement, not of a rejected one', async () => {
    const errors: Record<string, unknown> = { lost: createMysqlError(2013), bad: createMysqlError(1064), odd: 'text' };
    const pool = await open([playVersion('8.4.0', (text) => (text in errors ? { error: errors[text] } : SETTLED))], {
      pool: 1,
    });
    const one = await takeLease(pool);
    expect(await outcome(one.wire.run('bad', []))).to.equal(errors['bad']);
    const odd = (await outcome(one.wire.runCommand('odd'))) as Error;
    expect([odd.message, odd.cause, destroyed()]).to.deep.equal(['the driver failed', 'text', [false]]);
    const waits = lease(pool);
    expect(await outcome(one.wire.run('lost', []))).to.equal(errors['lost']);
    expect(destroyed()).to.deep.equal([true, false]);
    expect(await findConnectionIndex((await waits) as Lease)).to.equal(1);
    // It is not assigned again.
    one.release(false);
    const next = lease(pool);
    await time.advance(2000);
    expect([await next, made.length]).to.deep.equal(['unavailable: no connection became free in time', 2]);
  });

  it('aborts a statement after the timeout with its connection, and sends a cancel request to the server', async () => {
    const pool = await open([playSilence('slow')], { pool: 1 });
    const one = await takeLease(pool);
    const work = one.wire.run('slow', []).catch((error: unknown) => error);
    await time.advance(10_499);
    expect(destroyed()).to.deep.equal([false]);
    await time.advance(1);
    expect(await work).to.be.instanceOf(OverdueError);
    made[0]?.held[0]?.(null, []);
    await time.advance(0);
    expect(destroyed()).to.deep.equal([true, true]);
    expect(made[1]?.sent.at(-1)).to.equal('KILL 7');
    expect(logged).to.deep.equal([]);
  });

  for (const [title, threadId, second, log] of [
    [
      'if the server cannot be reached',
      7,
      () => ({ error: createMysqlError(1040) }),
      ['statement not cancelled after its timeout'],
    ],
    [
      'if the server does not cancel it',
      7,
      playVersion('8.4.0', (text) => (text === 'KILL 7' ? { error: createMysqlError(1094) } : SETTLED)),
      ['statement not cancelled after its timeout'],
    ],
    ['if it has no id', null, () => SETTLED, []],
  ] as const)
    it(`abandons a statement without a response ${title}`, async () => {
      const pool = await open([playSilence('slow'), second], {}, threadId);
      const { wire } = await takeLease(pool);
      const work = wire.runCommand('slow').catch((error: unknown) => error);
      await time.advance(10_500);
      expect(await work).to.be.instanceOf(OverdueError);
      expect([made.length, logged]).to.deep.equal([threadId === null ? 1 : 2, log]);
    });

  it('rejects a waiting request with the reason if no connection can be opened; the next one may succeed', async () => {
    const rejected = createMysqlError(1040);
    const pool = await open([playVersion('8.4.0'), () => ({ error: rejected })]);
    const held = await takeLease(pool);
    const error = (await outcome(pool.acquire())) as Error;
    expect([isUnavailable(error), error.message, error.cause]).to.deep.equal([true, 'no connection', rejected]);
    // The repeated look for idle connections is all that is left.
    expect(time.timers()).to.equal(1);
    expect(await findConnectionIndex(await takeLease(pool))).to.equal(2);
    held.release(false);
  });

  it('closes connections that are idle for a while, but never the last', async () => {
    const pool = await open([], { pool: 3 });
    const held = [await takeLease(pool), await takeLease(pool), await takeLease(pool)];
    await time.advance(100);
    for (const one of held) one.release(false);
    await time.advance(30_099);
    expect(destroyed()).to.deep.equal([false, false, false]);
    await time.advance(1000);
    expect(destroyed()).to.deep.equal([true, true, false]);
    await time.advance(60_000);
    expect(destroyed()[2]).to.equal(false);
  });

  it('closes idle connections immediately, rejects waiting and new requests, and waits for running ones', async () => {
    const pool = await open([], { pool: 2 });
    const [one, two] = [await takeLease(pool), await takeLease(pool)];
    two.release(false);
    const again = await takeLease(pool);
    const waits = lease(pool);
    let ended = false;
    const end = pool.close().then(() => (ended = true));
    expect(await waits).to.equal('unavailable: closed');
    expect(await lease(pool)).to.equal('unavailable: closed');
    again.release(false);
    await time.advance(4000);
    expect([destroyed(), ended]).to.deep.equal([[false, true], false]);
    await pool.close();
    one.release(false);
    await end;
    expect([destroyed(), time.timers()]).to.deep.equal([[true, true], 0]);
  });

  it('closes a connection that is not returned', async () => {
    const pool = await open();
    await takeLease(pool);
    let ended = false;
    const end = pool.close().then(() => (ended = true));
    await time.advance(4999);
    expect([ended, destroyed()]).to.deep.equal([false, [false]]);
    await time.advance(1);
    await end;
    expect(destroyed()).to.deep.equal([true]);
  });

  it('closes a connection that is opened after the end', async () => {
    const pool = await open([playVersion('8.4.0'), playSilence('connect')]);
    const one = await takeLease(pool);
    const waits = lease(pool);
    const end = pool.close();
    expect(await waits).to.equal('unavailable: closed');
    made[1]?.held[0]?.(null);
    await time.advance(0);
    expect(destroyed()).to.deep.equal([false, true]);
    one.release(false);
    await end;
    expect(destroyed()).to.deep.equal([true, true]);
  });
});
