/**
 * Statements on a scripted MySQL connection: transactions, retries, warnings of the server, and the parameter of a
 * failure.
 */
import type { Log } from '../../../contract/plugin.js';
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { scanSql } from '../../../plugins/queries/sql/text/scan.js';
import { createMysqlDialect, type OpenServer } from '../../../plugins/dialects/mysql/dialect.js';
import { ConnectionUnavailableError } from '../../../plugins/dialects/mysql/errors.js';
import type { StatementResult } from '../../../plugins/dialects/mysql/statement-result.js';
import type { MysqlConnection } from '../../../plugins/dialects/mysql/connection.js';
import type { ServerFlavour } from '../../../plugins/dialects/mysql/types.js';
import type { Transaction } from '../../../plugins/dialects/kind.js';
import { BY_LOCKS, SERIALIZABLE, type Isolation } from '../../../plugins/dialects/kind.js';

const failure = (errno: number, message = 'refused') => Object.assign(new Error(message), { errno });

/** Rows of `information_schema` for a table `t` with two keys. */
const SCHEMA: readonly (readonly [RegExp, readonly (readonly unknown[])[]])[] = [
  [
    /information_schema\.columns/,
    [
      ['t', 'ID', 'bigint', 'bigint', ''],
      ['t', 'n', 'int', 'int', ''],
      ['t', 's', 'varchar', 'varchar(9)', ''],
    ],
  ],
  [
    /information_schema\.statistics/,
    [
      ['t', 'PRIMARY', 'ID'],
      ['t', 't_n_s', 'n'],
      ['t', 't_n_s', 's'],
    ],
  ],
];

interface Scripted {
  readonly sent: string[];
  readonly released: boolean[];
  readonly server: OpenServer;
  readonly handle: ReturnType<typeof createMysqlDialect>;
}

type Play = (text: string, times: number) => unknown;

/** `play`: the response of the server to a statement or a command; an error is thrown. */
function dialectOn(
  play: Play = () => undefined,
  flavour: ServerFlavour = 'mysql',
  remarks: readonly number[] = [],
  lease = true,
): Scripted {
  const sent: string[] = [];
  const released: boolean[] = [];
  const counts = new Map<string, number>();
  async function does(text: string): Promise<unknown> {
    sent.push(text);
    const times = (counts.get(text) ?? 0) + 1;
    counts.set(text, times);
    const answer = await play(text, times);
    if (answer instanceof Error) throw answer;
    return answer;
  }
  const wire: MysqlConnection = {
    flavour,
    async run(text): Promise<StatementResult> {
      const schema = SCHEMA.find(([pattern]) => pattern.test(text));
      const nothing = { rows: null, fields: [], insertId: '0', affected: 1 };
      if (schema) return { ...nothing, rows: schema[1] };
      return { ...nothing, ...((await does(text)) as Partial<StatementResult>) };
    },
    stream: () => Promise.reject(new Error('not streamed')),
    runCommand: async (text) => void (await does(text)),
    readWarnings: () => Promise.resolve(remarks),
  };
  const take = () =>
    lease
      ? Promise.resolve({ wire, release: (broken: boolean) => void released.push(broken) })
      : Promise.reject(new ConnectionUnavailableError('none'));
  const server: OpenServer = {
    pool: {
      acquire: take,
      acquireSpare: take,
      measure: () => ({ most: 1, open: 1, busy: 0, waiting: 0 }),
      close: () => Promise.resolve(),
    },
    options: { streams: false, deadline: 10_000, isReplica: false },
    flavour,
    catalogue: null,
    triggered: false,
    context: { instance: 'main', log: { warn: () => undefined } as unknown as Log },
    unknown: new Set(),
  };
  const isolation = ({ level }: Isolation) => (level === 'serializable' ? 'serializable' : 'read committed');
  return {
    sent,
    released,
    server,
    handle: createMysqlDialect(
      () => server,
      isolation,
      () => undefined,
    ),
  };
}

const run = ({ handle }: Scripted, sql: string, values: unknown[] = [], transaction: Transaction | null = null) =>
  handle.run(handle.prepare({ scan: scanSql(sql), jsonColumns: [] }), values, transaction);
const expectFault = async (work: Promise<unknown>): Promise<Fault> => {
  const thrown: unknown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).to.be.instanceOf(Fault);
  return thrown as Fault;
};

describe('statements on a MySQL connection', () => {
  for (const [title, sql, values, sent] of [
    ['a read runs alone', 'SELECT n FROM t WHERE n = $1', [1], ['SELECT n FROM t WHERE n = ?']],
    ['a write runs alone', 'UPDATE t SET n = $1', [1], ['UPDATE t SET n = ?']],
    ['a statement that defines tables runs alone', 'CREATE TABLE x (a int)', [], ['CREATE TABLE x (a int)']],
    [
      'a write that returns rows is a transaction',
      'UPDATE t SET n = 1 RETURNING n',
      [],
      ['START TRANSACTION', 'SELECT "t"."ID" FROM t FOR UPDATE', 'COMMIT'],
    ],
    [
      'a write with an untyped text can be rolled back',
      'UPDATE t SET n = f($1)',
      ['x'],
      ['START TRANSACTION', 'UPDATE t SET n = f(?)', 'COMMIT'],
    ],
    [
      'one such text is enough',
      'UPDATE t SET n = f($1, $2)',
      ['x', '7'],
      ['START TRANSACTION', 'UPDATE t SET n = f(?, ?)', 'COMMIT'],
    ],
    [
      'a transaction begins once',
      'UPDATE t SET n = f($1) WHERE f($2) RETURNING n',
      ['x', 'y'],
      ['START TRANSACTION', 'SELECT "t"."ID" FROM t WHERE f(?) FOR UPDATE', 'COMMIT'],
    ],
    ['a numeric text needs no transaction', 'UPDATE t SET n = f($1)', ['7'], ['UPDATE t SET n = f(?)']],
    ['a read is never rolled back', 'SELECT round($1) AS n', ['x'], ['SELECT round(?) AS n']],
    ['a function may write', 'SELECT f($1) AS n', ['x'], ['START TRANSACTION', 'SELECT f(?) AS n', 'COMMIT']],
    [
      'a statement that defines tables needs no transaction',
      'CREATE TABLE x AS SELECT f($1)',
      ['x'],
      ['CREATE TABLE x AS SELECT f(?)'],
    ],
  ] as const) {
    it(title, async () => {
      const scripted = dialectOn();
      await run(scripted, sql, [...values]);
      expect(scripted.sent).to.deep.equal(sent);
      expect(scripted.released).to.deep.equal([false]);
    });
  }

  it('reject a text that the server has read in part, and roll back', async () => {
    const scripted = dialectOn(undefined, 'mysql', [1292]);
    expect((await expectFault(run(scripted, 'UPDATE t SET n = f($1)', ['x']))).code).to.equal('QRY_BAD_VALUE');
    expect(scripted.sent).to.deep.equal(['START TRANSACTION', 'UPDATE t SET n = f(?)', 'ROLLBACK']);
    const other = dialectOn(undefined, 'mysql', [1287]);
    expect(await run(other, 'UPDATE t SET n = f($1)', ['x'])).to.deep.equal([]);
    const sure = dialectOn(undefined, 'mysql', [1292]);
    expect(await run(sure, 'UPDATE t SET s = $1', ['x'])).to.deep.equal([]);
  });

  it('name an invalid value by its parameter, and send nothing', async () => {
    const scripted = dialectOn();
    const { code, options } = await expectFault(run(scripted, 'UPDATE t SET s = $1, n = $2', ['x', 'y']));
    const detail = 'does not fit the type that the query expects';
    expect([code, options.issues]).to.deep.equal(['QRY_BAD_VALUE', [{ pointer: '$2', code, detail }]]);
    expect([scripted.sent, scripted.released]).to.deep.equal([[], [false]]);
  });

  it('repeat a read on another connection when its own was lost, but not a write', async () => {
    const once = dialectOn((_, times) => (times === 1 ? failure(2013) : undefined));
    expect(await run(once, 'SELECT n FROM t')).to.deep.equal([]);
    expect([once.sent.length, once.released]).to.deep.equal([2, [false, true]]);
    const always = dialectOn(() => failure(2013));
    const read = await expectFault(run(always, 'SELECT n FROM t'));
    expect([read.code, read.options.retryable, always.sent.length]).to.deep.equal(['QRY_UNAVAILABLE', true, 2]);
    const write = dialectOn(() => failure(2013));
    const lost = await expectFault(run(write, 'UPDATE t SET n = 1'));
    expect([lost.options.retryable, write.sent.length, write.released]).to.deep.equal([undefined, 1, [true]]);
    expect(lost.params).to.have.property('outcome');
  });
  it('keep the connection after a rejected statement', async () => {
    const scripted = dialectOn(() => failure(1064));
    expect((await expectFault(run(scripted, 'SELECT n FROM t'))).code).to.equal('QRY_FAILED');
    expect([scripted.sent.length, scripted.released]).to.deep.equal([1, [false]]);
  });
  it('discard the connection if a transaction cannot be rolled back', async () => {
    const scripted = dialectOn((text) => (text.startsWith('START') ? undefined : failure(1064)));
    await expectFault(run(scripted, 'UPDATE t SET n = 1 RETURNING n'));
    expect([scripted.sent.at(-1), scripted.released]).to.deep.equal(['ROLLBACK', [true]]);
    const lost = dialectOn((text) => (text.startsWith('START') ? undefined : failure(2013)));
    await expectFault(run(lost, 'UPDATE t SET n = 1 RETURNING n'));
    expect([lost.sent.includes('ROLLBACK'), lost.released]).to.deep.equal([false, [true]]);
  });

  for (const [message, errno, pointers] of [
    [`Duplicate entry 'x' for key 't.t_n_s'`, 1062, ['/n', '/s']],
    [`Duplicate entry 'x' for key 't_n_s'`, 1062, ['/n', '/s']],
    [`Duplicate entry 'x' for key 'PRIMARY'`, 1062, ['/ID']],
    [`Duplicate entry 'x' for key 'other.t_n_s'`, 1062, undefined],
    [`Duplicate entry 'x' for key 'unknown'`, 1062, undefined],
    [`Column 's' cannot be null`, 1048, ['/s']],
    [`Check constraint 't_s_length' is violated.`, 3819, ['/s']],
    [`Check constraint 't_s_size' is violated.`, 3819, undefined],
    [`Check constraint 'u_s_length' is violated.`, 3819, undefined],
    [`Check constraint 't__length' is violated.`, 3819, undefined],
  ] as const) {
    it(`${message} is about ${pointers?.join(' and ') ?? 'no field'}`, async () => {
      const found = await expectFault(
        run(
          dialectOn(() => failure(errno, message)),
          'UPDATE t SET n = 1',
        ),
      );
      expect(found.options.issues?.map(({ pointer }) => pointer)).to.deep.equal(pointers);
    });
  }

  it('read the catalogue once, again for an unknown table, and after tables were defined', async () => {
    const scripted = dialectOn();
    const first = async () => {
      await run(scripted, 'SELECT n FROM t');
      return scripted.server.catalogue;
    };
    const known = await first();
    expect(await first()).to.equal(known);
    await run(scripted, 'SELECT n FROM missing');
    const again = await first();
    expect(again).not.to.equal(known);
    await run(scripted, 'SELECT n FROM missing');
    expect([await first(), [...scripted.server.unknown]]).to.deep.equal([again, ['missing']]);
    await run(scripted, 'CREATE TABLE x (a int)');
    expect([scripted.server.catalogue, scripted.server.unknown.size]).to.deep.equal([null, 0]);
  });
});

describe('transactions on a MySQL connection', () => {
  it('begin with their level, run and end on one connection', async () => {
    const scripted = dialectOn();
    const transaction = await scripted.handle.begin(SERIALIZABLE);
    await run(scripted, 'UPDATE t SET n = f($1)', ['x'], transaction);
    expect(scripted.released).to.deep.equal([]);
    await scripted.handle.commit(transaction);
    expect(scripted.sent).to.deep.equal([
      'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE',
      'START TRANSACTION',
      'UPDATE t SET n = f(?)',
      'COMMIT',
    ]);
    await scripted.handle.rollback(transaction);
    expect([scripted.sent.length, scripted.released]).to.deep.equal([4, [false]]);
    expect((await expectFault(run(scripted, 'SELECT 1', [], transaction))).code).to.equal('QRY_FAILED');
    expect((await expectFault(scripted.handle.commit(transaction))).code).to.equal('QRY_FAILED');
  });
  it('send no level if it is that of the session', async () => {
    const scripted = dialectOn();
    await scripted.handle.rollback(await scripted.handle.begin(BY_LOCKS));
    expect([scripted.sent, scripted.released]).to.deep.equal([['START TRANSACTION', 'ROLLBACK'], [false]]);
  });
  it('run nothing after a failed statement, and roll back at commit', async () => {
    const scripted = dialectOn((text) => (text.includes('bad') ? failure(1064) : undefined));
    const transaction = await scripted.handle.begin(BY_LOCKS);
    await expectFault(run(scripted, 'SELECT bad', [], transaction));
    expect((await expectFault(run(scripted, 'SELECT 1', [], transaction))).code).to.equal('QRY_FAILED');
    expect((await expectFault(scripted.handle.commit(transaction))).code).to.equal('QRY_FAILED');
    expect([scripted.sent, scripted.released]).to.deep.equal([
      ['START TRANSACTION', 'SELECT bad', 'ROLLBACK'],
      [false],
    ]);
  });
  it('finish a commit that rolls back after the rollback', async () => {
    let undone = false;
    const scripted = dialectOn(async (text) => {
      if (text === 'SELECT bad') return failure(1064);
      await new Promise((resolve) => setImmediate(resolve));
      undone ||= text === 'ROLLBACK';
      return undefined;
    });
    const transaction = await scripted.handle.begin(BY_LOCKS);
    await expectFault(run(scripted, 'SELECT bad', [], transaction));
    await expectFault(scripted.handle.commit(transaction));
    expect([undone, scripted.released]).to.deep.equal([true, [false]]);
  });
  it('discard the connection if they cannot begin or end', async () => {
    const begin = dialectOn(() => failure(1064));
    expect((await expectFault(begin.handle.begin(BY_LOCKS))).code).to.equal('QRY_FAILED');
    expect(begin.released).to.deep.equal([true]);
    const end = dialectOn((text) => (text === 'COMMIT' ? failure(2013) : undefined));
    const lost = await expectFault(end.handle.begin(BY_LOCKS).then((transaction) => end.handle.commit(transaction)));
    expect([lost.params['outcome'] !== undefined, end.released]).to.deep.equal([true, [true]]);
    const back = dialectOn((text) => (text === 'ROLLBACK' ? failure(2013) : undefined));
    await back.handle.rollback(await back.handle.begin(BY_LOCKS));
    expect(back.released).to.deep.equal([true]);
  });
  it('do not repeat a lost read, whose outcome is known', async () => {
    const scripted = dialectOn((text) => (text.startsWith('UPDATE') ? failure(2013) : undefined));
    const lost = await expectFault(run(scripted, 'UPDATE t SET n = 1', [], await scripted.handle.begin(BY_LOCKS)));
    expect([lost.code, lost.params, lost.options.retryable]).to.deep.equal(['QRY_UNAVAILABLE', {}, true]);
  });
  it('are unavailable without a connection', async () => {
    const scripted = dialectOn(undefined, 'mysql', [], false);
    expect((await expectFault(scripted.handle.begin(BY_LOCKS))).code).to.equal('QRY_UNAVAILABLE');
    expect((await expectFault(run(scripted, 'SELECT 1'))).code).to.equal('QRY_UNAVAILABLE');
  });
});
