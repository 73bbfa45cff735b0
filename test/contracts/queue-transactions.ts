/** Queues in a SQL database: jobs added inside a transaction of a connection, and tables that migrations ignore. */
import { expect } from 'chai';
import type { TransactionalQueue } from '../../plugins/queues/kind.js';
import type { Dialect } from '../../plugins/dialects/kind.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { createTestJob, type OpenedQueue } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { id, defineTable, type OpenDialect } from './dialect-support.js';
import { DONE, isEmpty } from './queue-support.js';
import { skipTest } from '../support/skip.js';
import { BY_LOCKS } from '../../plugins/dialects/kind.js';

export interface SqlPlace {
  readonly queue: OpenedQueue;
  /** The connection whose database contains the queue. */
  readonly main: Dialect;
  /** Null where the connection was not opened by itself. */
  readonly tables: Pick<OpenDialect, 'syncSchema' | 'plan'> | null;
  readonly close: () => Promise<void>;
}

export interface SqlBackend {
  readonly name: string;
  readonly place: () => Promise<ServerOrSkip<SqlPlace>>;
  /** Its places have `tables`. */
  readonly migrates: boolean;
}

export function testQueueTransactions({ name, place, migrates }: SqlBackend): void {
  describe(`queue ${name}, transactions`, function () {
    let here: SqlPlace | undefined;
    let within: TransactionalQueue;

    const getPlace = (): SqlPlace => {
      if (here === undefined) throw new Error('not open');
      return here;
    };
    beforeEach(async function () {
      const found = await place();
      if ('skip' in found) return skipTest(this, found.skip);
      here = found;
      const joined = await found.queue.queue.findTransactionalQueue(found.main);
      if (joined === null) throw new Error('the queue does not know its own database');
      within = joined;
    });
    afterEach(async () => {
      await here?.close();
      here = undefined;
    });

    it('contain the jobs if they commit', async () => {
      const { queue, main } = getPlace();
      const seen: unknown[] = [];
      await queue.queue.startWorker((work) => Promise.resolve((seen.push(work.state.payload), DONE)));
      const transaction = await main.begin(BY_LOCKS);
      await within.add([createTestJob('one \0 \ud800'), createTestJob('two')], transaction);
      await within.add([createTestJob('three')], transaction);
      expect(seen).to.deep.equal([]);
      await main.commit(transaction);
      within.committed();
      await waitUntil(() => seen.length === 3, 'all ran');
      expect(seen).to.have.members(['one \0 \ud800', 'two', 'three']);
      await waitUntil(() => isEmpty(queue), 'gone');
    });

    it('contain nothing if they are rolled back', async () => {
      const { queue, main } = getPlace();
      const transaction = await main.begin(BY_LOCKS);
      await within.add([createTestJob(), createTestJob()], transaction);
      await main.rollback(transaction);
      expect(await isEmpty(queue)).to.equal(true);
    });

    it('may add a job that exists already, and a delayed one', async () => {
      const { queue, main } = getPlace();
      await queue.queue.add([createTestJob('first', { id: 'same', delay: 60 })]);
      const transaction = await main.begin(BY_LOCKS);
      await within.add([createTestJob('second', { id: 'same' })], transaction);
      await within.add([createTestJob('later', { id: 'later', delay: 0.2 })], transaction);
      await main.commit(transaction);
      within.committed();
      expect((await queue.queue.show('same'))?.work.state.payload).to.equal('first');
      const seen: string[] = [];
      await queue.queue.startWorker((work) => Promise.resolve((seen.push(work.id), DONE)));
      await waitUntil(() => seen.length === 1, 'the later one ran');
      expect(seen).to.deep.equal(['later']);
    });

    it('are not affected by a job that is too large', async () => {
      const { queue, main } = getPlace();
      const transaction = await main.begin(BY_LOCKS);
      const rejected: unknown = await within
        .add([createTestJob('x'.repeat(300_000))], transaction)
        .catch((error: unknown) => error);
      expect(rejected).to.include({ code: 'JOB_TOO_LARGE' });
      await within.add([createTestJob('small')], transaction);
      await main.commit(transaction);
      expect(await queue.queue.list({})).to.have.length(1);
    });

    it('of many concurrent requests add each of theirs', async () => {
      const { queue, main } = getPlace();
      const addInTransaction = async (n: number): Promise<void> => {
        const transaction = await main.begin(BY_LOCKS);
        await within.add([createTestJob(n)], transaction);
        await (n % 3 === 0 ? main.rollback(transaction) : main.commit(transaction));
        if (n % 3 !== 0) within.committed();
      };
      const seen: number[] = [];
      await queue.queue.startWorker((work) => Promise.resolve((seen.push(work.state.payload as number), DONE)));
      await Promise.all(Array.from({ length: 30 }, (_, n) => addInTransaction(n)));
      await waitUntil(() => isEmpty(queue), 'all done');
      const expected = Array.from({ length: 30 }, (_, n) => n).filter((n) => n % 3 !== 0);
      expect(seen.sort((a, b) => a - b)).to.deep.equal(expected);
    });

    if (!migrates) return;

    it('keep the tables of the queue when the models are migrated', async () => {
      const { queue, tables } = getPlace();
      if (tables === null) throw new Error('no tables');
      await queue.queue.add([createTestJob(null, { delay: 60 })]);
      const notes = defineTable('notes', id);
      const steps = (await tables.plan([notes])).steps;
      expect(steps.map((step) => step.table)).to.deep.equal(steps.map(() => 'notes'));
      await tables.syncSchema([notes]);
      expect(await tables.plan([notes])).to.deep.equal({ steps: [], warnings: [] });
      expect(await queue.queue.list({})).to.have.length(1);
    });
  });
}
