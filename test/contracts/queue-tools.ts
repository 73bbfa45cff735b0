/** Queue contract: what Agenda tools read and do without this queue. They are Agenda's own repositories. */
import { expect } from 'chai';
import type { JobWithState } from 'agenda';
import { createTestJob } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { DONE, createFailedOutcome, isEmpty, type Suite } from './queue-support.js';

const getJobId = ({ data }: { readonly data?: unknown }): string => String((data as { readonly id?: unknown }).id);

export function testQueueTools({ open, openTool }: Suite): void {
  describe('Agenda tools', () => {
    it('see jobs as theirs, and may remove waiting ones', async () => {
      const [one, jobs] = [await open({ backoff: 60 }), await openTool()];
      const queryJobsById = async (): Promise<Record<string, JobWithState>> =>
        Object.fromEntries((await jobs.queryJobs({ name: 'lintel' })).jobs.map((job) => [getJobId(job), job]));
      await one.queue.add([
        createTestJob('\0', { id: 'later', delay: 60, priority: 3 }),
        createTestJob(null, { id: 'runs' }),
        createTestJob(null, { id: 'dead', priority: 1.4 }),
        createTestJob(null, { id: 'again', retries: 1 }),
      ]);
      const before = await queryJobsById();
      expect(Object.entries(before).map(([id, { state }]) => `${id} ${state}`)).to.have.members([
        'later scheduled',
        'runs queued',
        'dead queued',
        'again queued',
      ]);
      expect(before['later']?.priority).to.equal(3);
      expect(before['later']?.nextRunAt?.getTime()).to.be.within(Date.now() + 40_000, Date.now() + 70_000);
      expect(before['later']?.data).to.deep.include({ resource: 'mail', part: 'mail/1' });
      let finishJob = (): void => {};
      await one.queue.startWorker(async ({ id }) => {
        if (id !== 'runs') return createFailedOutcome(id === 'again');
        await new Promise<void>((resolve) => (finishJob = resolve));
        return DONE;
      });
      await waitUntil(async () => {
        const views = await one.queue.list({});
        return views.filter(({ failure }) => failure !== null).length === 2;
      }, 'two failed');
      const after = await queryJobsById();
      expect(after['runs']).to.include({ state: 'running', nextRunAt: null });
      expect(after['runs']?.lockedAt?.getTime()).to.be.within(Date.now() - 20_000, Date.now() + 1000);
      expect(after['runs']?.lastRunAt).to.be.instanceOf(Date);
      for (const id of ['dead', 'again'])
        expect(after[id]).to.include({ state: 'failed', failReason: 'On purpose.', failCount: 1 });
      expect(after['again']?.nextRunAt?.getTime()).to.be.greaterThan(Date.now() + 30_000);
      expect(after['dead']?.nextRunAt).to.equal(null);
      const [overview] = await jobs.getJobsOverview();
      expect(overview).to.include({ name: 'lintel', total: 4, running: 1, failed: 2, scheduled: 1 });
      expect(await jobs.removeJobs({ ids: ['later', 'dead', 'again'].map((id) => after[id]?._id ?? '') })).to.equal(3);
      expect((await one.queue.list({})).map(({ id }) => id)).to.deep.equal(['runs']);
      finishJob();
      await waitUntil(() => isEmpty(one), 'it was done');
      expect(await queryJobsById()).to.deep.equal({});
    });

    it('see rejected jobs as failed', async () => {
      const [one, jobs] = [await open(), await openTool()];
      await one.queue.moveToDeadLetter?.(createTestJob(null, { id: 'refused' }), {
        code: 'TST_REFUSED',
        detail: '$now',
      });
      const [job] = (await jobs.queryJobs({ name: 'lintel' })).jobs;
      expect(job).to.include({ state: 'failed', failReason: '$now', failCount: 1, nextRunAt: null });
      expect(await jobs.removeJobs({ id: job?._id ?? '' })).to.equal(1);
      expect(await isEmpty(one)).to.equal(true);
    });

    it('may delay jobs, and have jobs of other names in the same store', async () => {
      const [one, jobs] = [await open(), await openTool()];
      await jobs.saveJob({ name: 'other', type: 'normal', priority: 0, nextRunAt: new Date(), data: {} }, undefined);
      await one.queue.add([createTestJob(null, { id: 'held', priority: 1 }), createTestJob(null, { id: 'free' })]);
      const held = (await jobs.queryJobs({ name: 'lintel' })).jobs.find((job) => getJobId(job) === 'held');
      const which = { id: held?._id ?? '' };
      expect(await jobs.disableJobs(which)).to.equal(1);
      const begun: string[] = [];
      await one.queue.startWorker(({ id }) => Promise.resolve((begun.push(id), DONE)));
      await waitUntil(() => begun.length === 1, 'one ran');
      await one.queue.add([createTestJob(null, { id: 'next' })]);
      await waitUntil(() => begun.length === 2, 'another ran');
      expect(begun).to.deep.equal(['free', 'next']);
      await waitUntil(async () => (await one.queue.list({})).length === 1, 'one is left');
      expect(await one.queue.backlog?.()).to.include({ ready: 0, oldest: 0 });
      expect(await jobs.enableJobs(which)).to.equal(1);
      await waitUntil(() => isEmpty(one), 'it ran');
      expect((await jobs.queryJobs({})).jobs.map(({ name, state }) => [name, state])).to.deep.equal([
        ['other', 'queued'],
      ]);
    });
  });
}
