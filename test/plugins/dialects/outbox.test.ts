/**
 * The outbox over a scripted queue that fails, rejects and recovers: rows are delivered once, released, or moved to the
 * dead jobs.
 */
import { expect } from 'chai';
import type { JobEntry } from '../../../contract/deferred.js';
import { createFault } from '../../../contract/fault.js';
import { createPgliteDialect } from '../../../plugins/dialects/pglite/dialect.js';
import { createOutbox } from '../../../plugins/features/queue/outbox.js';
import { PGlite, protocol } from '@electric-sql/pglite';
import { createStatements, type EngineStatements } from '../../../plugins/dialects/pglite/statements.js';
import { UNBOUNDED } from '../../../plugins/shared/results.js';
import { waitForValue } from '../../support/jobs.js';
import { BY_LOCKS } from '../../../plugins/dialects/kind.js';

describe('outbox with a test queue', () => {
  let engine!: PGlite;
  let statements!: EngineStatements;
  before(async () => {
    engine = await PGlite.create('memory://');
    statements = createStatements(engine, protocol, UNBOUNDED);
  });
  after(() => engine.close());
  const createConnection = () => createPgliteDialect(() => ({ statements }));
  const log = { debug() {}, info() {}, warn() {}, error() {} };
  const put = (id: string): JobEntry => ({ work: { id } as JobEntry['work'], delay: 1, priority: 2, retries: 3 });
  /** As it was accepted, without the row it was read from. */
  const removeRow = ({ work: { row, ...work }, ...rest }: JobEntry): unknown => {
    expect(row).to.be.a('number');
    return { work, ...rest };
  };
  const outboxOver = (add: (work: readonly JobEntry[]) => Promise<void>) => {
    const connection = createConnection();
    return { connection, outbox: createOutbox({ connection, queue: { add }, log, pause: 20 }) };
  };
  const rows = async (): Promise<readonly unknown[]> =>
    (await engine.query('SELECT id, refused FROM lintel_outbox ORDER BY place')).rows;

  it('keeps jobs that the queue will never accept, and delivers the rest', async () => {
    const taken: JobEntry[] = [];
    const { connection, outbox } = outboxOver((work) => {
      if (work.some((one) => one.work.id === 'large')) return Promise.reject(createFault('JOB_TOO_LARGE'));
      taken.push(...work);
      return Promise.resolve();
    });
    await outbox.serve();
    const transaction = await connection.begin(BY_LOCKS);
    await outbox.add([put('one'), put('large'), put('two')], transaction);
    await connection.commit(transaction);
    outbox.scheduleTransfer();
    await waitForValue(rows, ({ length }) => length === 1);
    await outbox.stop();
    expect(taken.map(removeRow)).to.deep.equal([put('one'), put('two')]);
    expect(await rows()).to.deep.equal([{ id: 'large', refused: 'JOB_TOO_LARGE' }]);
    await engine.query('DELETE FROM lintel_outbox');
  });

  it('moves a job to the dead jobs if the queue can store any, and is not blocked by a changed row', async () => {
    const taken: string[] = [];
    const buried: unknown[] = [];
    const add = (work: readonly JobEntry[]): Promise<void> => {
      const large = work.some((one) => one.work.id === 'large');
      if (large) return Promise.reject(createFault('JOB_TOO_LARGE', { size: 9, limit: 5 }));
      taken.push(...work.map((one) => one.work.id));
      return Promise.resolve();
    };
    const connection = createConnection();
    const bury = (work: JobEntry, failure: object): Promise<void> => {
      buried.push([removeRow(work), failure]);
      return Promise.resolve();
    };
    const outbox = createOutbox({ connection, queue: { add, moveToDeadLetter: bury }, log, pause: 20 });
    await outbox.serve();
    for (const body of ['no JSON', 'null', '7', '{"work":{"id":7}}', '{"work":{"id":"x"},"delay":"soon"}', '[]'])
      await engine.query('INSERT INTO lintel_outbox (id, body) VALUES ($1, $2)', ['changed', body]);
    const transaction = await connection.begin(BY_LOCKS);
    await outbox.add([put('one'), put('large'), put('two')], transaction);
    await connection.commit(transaction);
    outbox.scheduleTransfer();
    await waitForValue(rows, (left) => left.length === 6 && left.every((row) => (row as { refused: unknown }).refused));
    await outbox.stop();
    expect(taken).to.deep.equal(['one', 'two']);
    const detail = 'The job of this request is too large: 9 bytes, at most 5.';
    expect(buried).to.deep.equal([[put('large'), { code: 'JOB_TOO_LARGE', detail }]]);
    expect(await rows()).to.deep.equal(Array(6).fill({ id: 'changed', refused: 'JOB_BROKEN' }));
    await engine.query('DELETE FROM lintel_outbox');
  });

  const waiting = async (): Promise<readonly unknown[]> =>
    (await engine.query('SELECT id, taken_until, refused FROM lintel_outbox ORDER BY place')).rows;

  for (const [what, failure] of [
    ['cannot be reached', createFault('JOB_AWAY')],
    ['fails temporarily', createFault('JOB_TOO_LARGE', {}, { retryable: true })],
    ['fails unexpectedly', new Error('the connection broke')],
  ] as const)
    it(`releases its rows immediately when the queue ${what}, so that any process can deliver them`, async () => {
      const [messages, taken]: [string[], string[]] = [[], []];
      let [works, calls] = [false, 0];
      const add = (work: readonly JobEntry[]): Promise<void> => {
        calls++;
        if (!works) return Promise.reject(failure);
        taken.push(...work.map((one) => one.work.id));
        return Promise.resolve();
      };
      const note = (_fields: object, message: string): void => void messages.push(message);
      const connection = createConnection();
      const newOutbox = () =>
        createOutbox({ connection, queue: { add }, log: { ...log, warn: note, info: note }, pause: 60_000 });
      const [outbox, second] = [newOutbox(), newOutbox()];
      const transaction = await connection.begin(BY_LOCKS);
      await outbox.add([put('one'), put('two')], transaction);
      await connection.commit(transaction);
      outbox.scheduleTransfer();
      await waitForValue(
        () => Promise.resolve(messages.length),
        (count) => count === 1,
      );
      const free = { taken_until: null, refused: null };
      expect(await waiting()).to.deep.equal([
        { id: 'one', ...free },
        { id: 'two', ...free },
      ]);
      // While the queue fails, only sweeps try again.
      outbox.scheduleTransfer();
      await outbox.stop();
      expect(calls).to.equal(1);
      works = true;
      second.scheduleTransfer();
      await second.stop();
      expect(taken).to.deep.equal(['one', 'two']);
      expect(await waiting()).to.deep.equal([]);
      expect(messages).to.have.length(1);
    });

  it('retries with the next sweep after the queue failed, and logs once that it failed and once that it works', async () => {
    const messages: string[] = [];
    let calls = 0;
    const add = (): Promise<void> => (++calls < 4 ? Promise.reject(createFault('JOB_AWAY')) : Promise.resolve());
    const note = (_fields: object, message: string): void => void messages.push(message);
    const connection = createConnection();
    const outbox = createOutbox({ connection, queue: { add }, log: { ...log, warn: note, info: note }, pause: 5 });
    await outbox.serve();
    const transaction = await connection.begin(BY_LOCKS);
    await outbox.add([put('one')], transaction);
    await connection.commit(transaction);
    outbox.scheduleTransfer();
    await waitForValue(waiting, ({ length }) => length === 0);
    await outbox.stop();
    expect(calls).to.equal(4);
    expect(messages.map((message) => message.endsWith('available'))).to.deep.equal([false, true]);
  });

  it('does not deliver again what has started, though the process ended before it could remove the row', async () => {
    const taken: JobEntry[] = [];
    const add = (work: readonly JobEntry[]): Promise<void> => Promise.resolve(void taken.push(...work));
    const connection = createConnection();
    const ending: typeof connection = {
      ...connection,
      execute: (text, values, transaction) =>
        text.startsWith('DELETE')
          ? Promise.reject(new Error('it ended'))
          : connection.execute(text, values, transaction),
    };
    const outboxOn = (of: typeof connection) => createOutbox({ connection: of, queue: { add }, log, pause: 60_000 });
    const [first, second] = [outboxOn(ending), outboxOn(connection)];
    const transaction = await connection.begin(BY_LOCKS);
    await first.add([put('begun'), put('waiting')], transaction);
    await connection.commit(transaction);
    first.scheduleTransfer();
    await first.stop();
    expect(taken.map(removeRow)).to.deep.equal([put('begun'), put('waiting')]);
    // A job of the same place was delivered by the outbox of another database.
    const [begun, other] = taken.map(({ work }) => work);
    await second.begin({ ...begun!, id: 'elsewhere' });
    expect(await waiting()).to.have.length(2);
    await second.begin(begun!);
    taken.length = 0;
    second.scheduleTransfer();
    await second.stop();
    expect(taken.map(({ work }) => work)).to.deep.equal([other]);
    expect(await waiting()).to.deep.equal([]);
  });

  it('delivers a row once, however many processes sweep', async () => {
    const taken: string[] = [];
    const add = async (work: readonly JobEntry[]): Promise<void> => {
      await new Promise((resolve) => setImmediate(resolve));
      taken.push(...work.map((one) => one.work.id));
    };
    const all = [outboxOver(add), outboxOver(add), outboxOver(add)];
    await Promise.all(all.map(({ outbox }) => outbox.serve()));
    const ids = Array.from({ length: 250 }, (_, index) => `job-${index}`);
    const [first] = all;
    if (first === undefined) throw new Error('there is none');
    const transaction = await first.connection.begin(BY_LOCKS);
    await first.outbox.add(ids.map(put), transaction);
    await first.connection.commit(transaction);
    all.forEach(({ outbox }) => outbox.scheduleTransfer());
    await waitForValue(rows, ({ length }) => length === 0);
    await Promise.all(all.map(({ outbox }) => outbox.stop()));
    expect(taken).to.have.length(250);
    expect(new Set(taken).size).to.equal(250);
  });
});
