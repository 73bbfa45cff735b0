/**
 * Contract of queue stores, called directly, without a worker: order, leases by their token, attempts, and results of a
 * sweep. Time is that of the store, so short leases are awaited and nothing sleeps.
 */
import { expect } from 'chai';
import { createTestJob } from '../support/queues.js';
import { skipTest } from '../support/skip.js';
import { waitUntil } from '../support/until.js';
import { createEntries } from '../../plugins/queues/shared/queue.js';
import { readSettings } from '../../plugins/queues/shared/settings.js';
import type { ClaimedJob, Entry, QueueStore } from '../../plugins/queues/shared/store.js';
import type { ServerOrSkip } from '../support/guarded-server.js';

export interface StoreBackend {
  readonly name: string;
  /** An empty one. */
  readonly createStore: () => Promise<
    ServerOrSkip<{ readonly store: QueueStore; readonly dispose: () => Promise<void> }>
  >;
}

const LONG = 60_000;
const LOST = { code: 'JOB_LOST', detail: 'Lost.' };
const FAILED = { code: 'TST_FAILED', detail: 'On purpose.' };

const createEntry = (id: string, rest: Partial<Pick<Entry, 'priority' | 'retries' | 'delay'>> = {}): Entry => {
  const [made] = createEntries([createTestJob(null, { id })], readSettings({ max_payload: Infinity }, 1));
  return { ...(made as Entry), ...rest };
};
const toIds = (claimed: readonly { readonly id: string }[]): string[] => claimed.map(({ id }) => id);

export function queueStoreContract({ name, createStore }: StoreBackend): void {
  describe(`store of the queue ${name}`, () => {
    let store!: QueueStore;
    let dispose = (): Promise<void> => Promise.resolve();
    beforeEach(async function () {
      const found = await createStore();
      if ('skip' in found) return skipTest(this, found.skip);
      ({ store, dispose } = found);
    });
    afterEach(() => dispose());

    const claimOne = async (token: string, lease = LONG): Promise<ClaimedJob> => {
      const [claimed] = await store.claimJobs(token, 1, lease);
      return claimed ?? expect.fail('nothing waits');
    };
    const fetchView = async (id: string) => (await store.show(id))?.view ?? expect.fail(`no ${id}`);
    const fetchState = async (id: string): Promise<unknown> => {
      const { state, attempts } = await fetchView(id);
      return [state, attempts];
    };
    /** Sweeps until it found something. */
    async function sweepUntilFound(): Promise<{ woken: number; dead: readonly string[] }> {
      let found = { woken: 0, dead: [] as readonly string[] };
      await waitUntil(async () => {
        found = await store.sweepJobs(LOST);
        return found.woken > 0 || found.dead.length > 0;
      }, 'a sweep finds something');
      return found;
    }

    describe('lost lease, while another worker holds the job', () => {
      let [first, second] = [{} as ClaimedJob, {} as ClaimedJob];
      beforeEach(async () => {
        await store.add([createEntry('moved', { retries: 5 })]);
        first = await claimOne('first', 1);
        await sweepUntilFound();
        second = await claimOne('second');
        expect([first.attempt, second.attempt]).to.deep.equal([1, 2]);
      });
      const expectUnchanged = async (): Promise<void> => {
        expect(await fetchState('moved')).to.deep.equal(['running', 2]);
        expect(await store.claimJobs('third', 5, LONG)).to.deep.equal([]);
        expect([...(await store.renewLeases([second], LONG))]).to.deep.equal(['moved']);
        expect(await store.completeJob(second)).to.equal(true);
        expect(await store.show('moved')).to.equal(null);
      };

      it('does not end the job as done', async () => {
        expect(await store.completeJob(first)).to.equal(false);
        await expectUnchanged();
      });

      for (const after of [null, 0, 1000])
        it(`does not end the job as failed (again after: ${after})`, async () => {
          expect(await store.fail(first, FAILED, after)).to.equal(false);
          expect((await fetchView('moved')).failure?.code).to.equal('JOB_LOST');
          await expectUnchanged();
        });

      it('does not return the job', async () => {
        await store.release([first]);
        await expectUnchanged();
      });

      it('is not renewed, and renewing it does not end the lease of the other', async () => {
        expect([...(await store.renewLeases([first], 1))]).to.deep.equal([]);
        expect((await store.sweepJobs(LOST)).woken).to.equal(0);
        await expectUnchanged();
      });

      it('does not affect other leases of the same worker', async () => {
        await store.add([createEntry('own')]);
        const own = await claimOne('first');
        expect([...(await store.renewLeases([first, own], LONG))]).to.deep.equal(['own']);
        await store.release([first, own]);
        expect(await fetchState('own')).to.deep.equal(['waiting', 0]);
        expect(await fetchState('moved')).to.deep.equal(['running', 2]);
      });
    });

    it('ignores the end of a lease once the job waits, is dead or is gone', async () => {
      await store.add([createEntry('waits', { retries: 1 }), createEntry('dead'), createEntry('gone')]);
      const [waits, dead, gone] = (await store.claimJobs('one', 3, LONG)) as [ClaimedJob, ClaimedJob, ClaimedJob];
      await store.release([waits]);
      expect(await store.fail(dead, FAILED, null)).to.equal(true);
      expect(await store.completeJob(gone)).to.equal(true);
      for (const held of [waits, dead, gone]) {
        expect(await store.completeJob(held), held.id).to.equal(false);
        expect(await store.fail(held, FAILED, 0), held.id).to.equal(false);
        expect([...(await store.renewLeases([held], LONG))], held.id).to.deep.equal([]);
        await store.release([held]);
      }
      expect(await fetchState('waits')).to.deep.equal(['waiting', 0]);
      expect(await fetchState('dead')).to.deep.equal(['dead', 1]);
      expect(await store.show('gone')).to.equal(null);
    });

    it('does nothing with a token that no claim created, or that belongs to another job', async () => {
      await store.add([createEntry('one'), createEntry('two')]);
      const [one] = (await store.claimJobs('first', 1, LONG)) as [ClaimedJob];
      const [two] = (await store.claimJobs('second', 1, LONG)) as [ClaimedJob];
      for (const token of ['', 'third', two.token]) {
        const other = { id: one.id, token };
        expect(await store.completeJob(other)).to.equal(false);
        expect(await store.fail(other, FAILED, null)).to.equal(false);
        expect((await store.renewLeases([other], 1)).size).to.equal(0);
        await store.release([other]);
      }
      expect([await fetchState('one'), await fetchState('two')]).to.deep.equal([
        ['running', 1],
        ['running', 1],
      ]);
    });

    it('claims at most the requested number, the highest priority first and then the oldest, and nothing twice', async () => {
      const all = [
        createEntry('a'),
        createEntry('b', { priority: 1 }),
        createEntry('c'),
        createEntry('d', { priority: 1 }),
        createEntry('later', { delay: LONG }),
      ];
      await store.add(all);
      expect(toIds(await store.claimJobs('one', 3, LONG))).to.deep.equal(['b', 'd', 'a']);
      const rest = await store.claimJobs('two', 3, LONG);
      expect(rest.map(({ id, token, attempt, retries, body }) => [id, token, attempt, retries, body])).to.deep.equal([
        ['c', 'two', 1, 0, all[2]?.body],
      ]);
      expect(await store.claimJobs('three', 3, LONG)).to.deep.equal([]);
    });

    it('returns a job to its position in the order, without counting the attempt', async () => {
      await store.add([createEntry('a'), createEntry('b'), createEntry('c')]);
      const [a, b] = (await store.claimJobs('one', 2, LONG)) as [ClaimedJob, ClaimedJob];
      await store.release([b, a]);
      await store.release([]);
      expect(await fetchState('a')).to.deep.equal(['waiting', 0]);
      const again = await store.claimJobs('two', 3, LONG);
      expect(again.map(({ id, attempt }) => [id, attempt])).to.deep.equal([
        ['a', 1],
        ['b', 1],
        ['c', 1],
      ]);
    });

    it('restarts a job when its lease has expired and an attempt is left, and not before', async () => {
      await store.add([
        createEntry('short', { retries: 1 }),
        createEntry('long', { retries: 1 }),
        createEntry('renewed', { retries: 1 }),
      ]);
      await claimOne('one', 1);
      await claimOne('two');
      const renewed = await claimOne('three', 50);
      expect([...(await store.renewLeases([renewed], LONG))]).to.deep.equal(['renewed']);
      expect(await sweepUntilFound()).to.deep.include({ woken: 1, dead: [] });
      expect(await fetchState('short')).to.deep.equal(['waiting', 1]);
      expect((await fetchView('short')).failure).to.deep.include(LOST);
      const again = await claimOne('four', 1);
      expect([again.id, again.attempt]).to.deep.equal(['short', 2]);
      // It was begun once more than it may be tried again.
      expect(await sweepUntilFound()).to.deep.include({ woken: 0, dead: ['short'] });
      expect(await fetchState('short')).to.deep.equal(['dead', 2]);
      const end = Date.now() + 60;
      await waitUntil(() => Date.now() > end, 'the first lease of the renewed work would be over');
      expect(await store.sweepJobs(LOST)).to.deep.equal({ woken: 0, dead: [], next: null });
      expect([await fetchState('long'), await fetchState('renewed')]).to.deep.equal([
        ['running', 1],
        ['running', 1],
      ]);
    });

    it('moves a job to dead when its lease expires the first time, if it may not be retried', async () => {
      await store.add([createEntry('once')]);
      await claimOne('one', 1);
      expect(await sweepUntilFound()).to.deep.include({ woken: 0, dead: ['once'] });
      expect(await fetchView('once')).to.deep.include({ state: 'dead', dueAt: null });
    });

    it('wakes delayed jobs when they are due, and returns when the next is due', async () => {
      await store.add([createEntry('soon', { delay: 1 }), createEntry('later', { delay: LONG })]);
      expect(await sweepUntilFound()).to.deep.include({ woken: 1, dead: [] });
      const { next } = await store.sweepJobs(LOST);
      expect(next).to.be.within(LONG - 20_000, LONG);
      expect(toIds(await store.claimJobs('one', 5, LONG))).to.deep.equal(['soon']);
    });

    it('retries failed jobs after a pause, or never', async () => {
      await store.add([createEntry('again'), createEntry('never')]);
      const [again, never] = (await store.claimJobs('one', 2, LONG)) as [ClaimedJob, ClaimedJob];
      expect(await store.fail(again, FAILED, LONG)).to.equal(true);
      expect(await store.fail(never, FAILED, null)).to.equal(true);
      const view = await fetchView('again');
      expect(view).to.deep.include({ state: 'waiting', attempts: 1 });
      expect(view.dueAt).to.be.within(Date.now() + LONG - 20_000, Date.now() + LONG + 1000);
      expect(view.failure).to.deep.include(FAILED);
      expect(await fetchView('never')).to.deep.include({ state: 'dead', attempts: 1, dueAt: null });
      expect(await store.claimJobs('two', 5, LONG)).to.deep.equal([]);
      expect(await store.retry('again')).to.equal(false);
      expect(await store.retry('never')).to.equal(true);
      expect((await claimOne('three')).attempt).to.equal(1);
      expect(await store.retry('never')).to.equal(false);
    });

    it('does not count an attempt that did not run, and does not treat a started job as new', async () => {
      await store.add([createEntry('waits'), createEntry('given'), createEntry('new')]);
      const [waits, given] = (await store.claimJobs('one', 2, LONG)) as [ClaimedJob, ClaimedJob];
      // A store may be unable to report it.
      expect(waits.fresh ?? true).to.equal(true);
      expect(await store.fail(waits, FAILED, 1, false)).to.equal(true);
      await store.release([given]);
      expect(await fetchState('waits')).to.deep.equal(['waiting', 0]);
      await sweepUntilFound();
      const again = await store.claimJobs('two', 5, LONG);
      const seen = again.map(({ id, attempt, fresh = id === 'new' }) => [id, attempt, fresh] as const);
      expect(seen).to.have.deep.members([
        ['waits', 1, false],
        ['given', 1, false],
        ['new', 1, true],
      ]);
    });

    it('removes a job that waits or is dead, by its id, and never one that runs', async () => {
      await store.add([
        createEntry('runs', { priority: 2 }),
        createEntry('dead', { priority: 1 }),
        createEntry('waits'),
        createEntry('later', { delay: LONG }),
      ]);
      await claimOne('one');
      await store.fail(await claimOne('two'), FAILED, null);
      expect(await store.purge({ id: 'runs' })).to.equal(0);
      expect(await store.purge({ id: 'unknown' })).to.equal(0);
      expect(await store.purge({ dead: true })).to.equal(1);
      expect(await store.purge({ dead: true })).to.equal(0);
      for (const id of ['waits', 'later']) expect(await store.purge({ id }), id).to.equal(1);
      expect(toIds(await store.list({}))).to.deep.equal(['runs']);
    });

    it('does not change a job that is added or moved to dead again', async () => {
      await store.add([createEntry('one', { retries: 3 })]);
      await claimOne('first');
      await store.add([createEntry('one'), createEntry('two')]);
      await store.moveToDeadLetter(createEntry('one'), FAILED);
      await store.moveToDeadLetter(createEntry('three'), FAILED);
      await store.add([createEntry('three')]);
      expect(await fetchView('one')).to.deep.include({ state: 'running', attempts: 1, retries: 3, failure: null });
      expect(await fetchState('three')).to.deep.equal(['dead', 0]);
      expect(toIds(await store.claimJobs('second', 5, LONG))).to.deep.equal(['two']);
    });
  });
}
