/** Queue contract: failed jobs, and job administration. */
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import { createTestJob } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { DONE, createFailedOutcome, isEmpty, type Suite } from './queue-support.js';

export function testQueueFailures({ open, openWithJobs, runJobs }: Suite): void {
  describe('failed jobs', () => {
    it('are retried after growing pauses, and dead after the last attempt', async () => {
      const put = createTestJob(null, { retries: 2 });
      const one = await openWithJobs([put], { backoff: 0.1, poll: 20 });
      const at: number[] = [];
      const attempts: number[] = [];
      await runJobs(one, 3, (_work, attempt) => {
        at.push(Date.now());
        attempts.push(attempt);
        return Promise.resolve(createFailedOutcome(true));
      });
      const listDead = (): ReturnType<typeof one.queue.list> => one.queue.list({ state: 'dead' });
      await waitUntil(async () => (await listDead()).length === 1, 'it is dead');
      expect(attempts).to.deep.equal([1, 2, 3]);
      const [first = 0, second = 0] = [at[1]! - at[0]!, at[2]! - at[1]!];
      expect(first).to.be.within(88, 2000);
      expect(second).to.be.within(178, 4000);
      const [view] = await listDead();
      expect(view).to.deep.include({ id: put.work.id, resource: 'mail', part: 'mail/1', attempts: 3, retries: 2 });
      expect(view?.failure).to.include({ code: 'TST_FAILED', detail: 'On purpose.' });
      expect(view?.failure?.at).to.be.within((at[2] ?? 0) - 1000, Date.now() + 1000);
      expect(view?.dueAt).to.equal(null);
    });

    it('show the failure while they wait to be retried', async () => {
      const one = await openWithJobs([createTestJob(null, { retries: 1 })], { backoff: 60 });
      await runJobs(one, 1, () => Promise.resolve(createFailedOutcome(true)));
      await waitUntil(async () => (await one.queue.list({ state: 'waiting' })).length === 1, 'it waits');
      const [view] = await one.queue.list({});
      expect(view?.failure?.code).to.equal('TST_FAILED');
      expect(view?.dueAt).to.be.within(Date.now() + 40_000, Date.now() + 70_000);
    });

    it('are dead immediately if a retry cannot succeed', async () => {
      const one = await openWithJobs([createTestJob(null, { retries: 5 })]);
      await runJobs(one, 1, () => Promise.resolve(createFailedOutcome(false)));
      await waitUntil(async () => (await one.queue.list({ state: 'dead' })).length === 1, 'it is dead');
    });

    it('are dead immediately if they were accepted elsewhere and are rejected now', async () => {
      const one = await open({ max_payload: 2000 });
      const large = createTestJob('x'.repeat(3000), { id: 'large', priority: 3, retries: 2 });
      expect(() => one.queue.validate?.([large]))
        .to.throw(Fault)
        .with.property('code', 'JOB_TOO_LARGE');
      expect(() => one.queue.validate?.([createTestJob('fits')])).not.to.throw();
      const failure = { code: 'JOB_TOO_LARGE', detail: 'Too large.' };
      await one.queue.moveToDeadLetter?.(large, failure);
      await one.queue.moveToDeadLetter?.(large, { code: 'OTHER', detail: '' });
      const rows = await one.queue.list({ state: 'dead' });
      expect(rows).to.have.length(1);
      expect(rows[0]).to.deep.include({ id: 'large', priority: 3, retries: 2, attempts: 0, dueAt: null });
      expect(rows[0]?.failure).to.include(failure);
      expect(await one.queue.show('large')).to.deep.include({ work: large.work });
      expect(await one.queue.retry('large')).to.equal(true);
      const [work] = await runJobs(one, 1);
      expect(work).to.deep.equal(large.work);
    });

    it('count as failed when they throw, and the worker continues', async () => {
      const one = await openWithJobs([createTestJob('bad', { id: 'bad' }), createTestJob('good')]);
      await runJobs(one, 2, (work) =>
        work.id === 'bad' ? Promise.reject(new Error('broken')) : Promise.resolve(DONE),
      );
      await waitUntil(async () => (await one.queue.list({ state: 'dead' })).length === 1, 'it is dead');
      await waitUntil(async () => (await one.queue.list({})).length === 1, 'the end of the other is noted');
      expect((await one.queue.list({})).map(({ id, failure }) => [id, failure?.code])).to.deep.equal([
        ['bad', 'JOB_FAILED'],
      ]);
    });
  });

  describe('job administration', () => {
    it('lists by state and resource, the oldest first, without a worker', async () => {
      const one = await open();
      for (const n of [1, 2, 3]) {
        const put = createTestJob(n, { id: `n${n}`, priority: n });
        const work = { ...put.work, resource: n === 2 ? 'other' : 'mail', acceptedAt: 1000 + n };
        await one.queue.add([{ ...put, work }]);
      }
      const listIds = async (filter: Parameters<typeof one.queue.list>[0]): Promise<string[]> =>
        (await one.queue.list(filter)).map(({ id }) => id);
      expect(await listIds({})).to.deep.equal(['n1', 'n2', 'n3']);
      expect(await listIds({ limit: 2 })).to.deep.equal(['n1', 'n2']);
      expect(await listIds({ resource: 'mail' })).to.deep.equal(['n1', 'n3']);
      expect(await listIds({ resource: "' OR 1=1 --" })).to.deep.equal([]);
      expect(await listIds({ state: 'dead' })).to.deep.equal([]);
      expect(await listIds({ state: 'waiting', resource: 'other' })).to.deep.equal(['n2']);
      const [view] = await one.queue.list({});
      expect(view).to.deep.include({
        state: 'waiting',
        priority: 1,
        attempts: 0,
        retries: 0,
        acceptedAt: 1001,
        failure: null,
      });
    });

    it('shows one job with all its fields', async () => {
      const put = createTestJob({ a: [1, '\0'] }, { priority: -0.5, retries: 4 });
      const one = await openWithJobs([put]);
      const shown = await one.queue.show(put.work.id);
      expect(shown?.work).to.deep.equal(put.work);
      expect(shown?.view).to.include({ priority: -0.5, retries: 4 });
      expect(await one.queue.show('nobody')).to.equal(null);
    });

    it('returns dead jobs to the queue, with as many attempts as new ones', async () => {
      const put = createTestJob(null, { retries: 1 });
      const one = await openWithJobs([put]);
      const attempts: number[] = [];
      await runJobs(one, 2, (_work, attempt) => {
        attempts.push(attempt);
        return Promise.resolve(createFailedOutcome(true));
      });
      await waitUntil(async () => (await one.queue.list({ state: 'dead' })).length === 1, 'it is dead');
      expect(await one.queue.retry(put.work.id)).to.equal(true);
      await waitUntil(() => attempts.length === 4, 'it was tried again');
      await waitUntil(async () => (await one.queue.list({ state: 'dead' })).length === 1, 'it is dead again');
      expect(attempts).to.deep.equal([1, 2, 1, 2]);
      expect(await one.queue.retry('nobody')).to.equal(false);
    });

    it('returns only dead jobs', async () => {
      const put = createTestJob(null, { delay: 60 });
      const one = await openWithJobs([put]);
      expect(await one.queue.retry(put.work.id)).to.equal(false);
      expect((await one.queue.list({}))[0]?.dueAt).to.be.greaterThan(Date.now() + 30_000);
    });

    it('purges dead jobs, or one by its id, but none that runs', async () => {
      const puts = ['dead 1', 'dead 2', 'runs', 'waits'].map((id) =>
        createTestJob(null, { id, priority: id === 'waits' ? -1 : 0, delay: id === 'waits' ? 60 : 0 }),
      );
      const one = await openWithJobs(puts);
      let open: (() => void) | undefined;
      await one.queue.startWorker(async (work) => {
        if (work.id !== 'runs') return createFailedOutcome(false);
        await new Promise<void>((resolve) => (open = resolve));
        return DONE;
      });
      await waitUntil(
        async () => (await one.queue.list({ state: 'dead' })).length === 2 && open !== undefined,
        'two are dead',
      );
      expect(await one.queue.purge({ id: 'runs' })).to.equal(0);
      expect(await one.queue.purge({ id: 'dead 1' })).to.equal(1);
      expect(await one.queue.purge({ id: 'nobody' })).to.equal(0);
      expect(await one.queue.purge({ dead: true })).to.equal(1);
      expect(await one.queue.purge({ id: 'waits' })).to.equal(1);
      expect((await one.queue.list({})).map(({ id }) => id)).to.deep.equal(['runs']);
      open?.();
      await waitUntil(() => isEmpty(one), 'it ran to its end');
    });
  });
}
