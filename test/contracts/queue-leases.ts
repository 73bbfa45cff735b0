/** Of the queue contract: leases, and how a worker ends. */
import { expect } from 'chai';
import type { Run } from '../../plugins/queues/kind.js';
import { createTestJob } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { DONE, isEmpty, type Suite } from './queue-support.js';
import { startStopwatch } from '../support/stopwatch.js';

export function testQueueLeases({ open, openWithJobs, runJobs }: Suite): void {
  describe('job leases', () => {
    it('are renewed while a job runs for longer than one', async () => {
      const [one, two] = [await openWithJobs([createTestJob()], { lease: 1 }), await open({ lease: 1 })];
      let begun = 0;
      const runLong: Run = async (_work, _attempt, signal) => {
        begun++;
        const end = Date.now() + 2200;
        await waitUntil(() => Date.now() > end, 'the time is over');
        expect(signal.aborted).to.equal(false);
        return DONE;
      };
      await Promise.all([one.queue.startWorker(runLong), two.queue.startWorker(runLong)]);
      await waitUntil(() => isEmpty(one), 'it is done');
      expect(begun).to.equal(1);
    });

    it('that are released let others begin immediately; the late end is ignored', async () => {
      const [first, second] = [await openWithJobs([createTestJob(null, { id: 'moved', retries: 0 })]), await open()];
      let [isAborted, late] = [false, (): void => {}];
      const hanging = new Promise<void>((resolve) => (late = resolve));
      let begun = false;
      await first.queue.startWorker(async (_work, _attempt, signal) => {
        signal.addEventListener('abort', () => (isAborted = true));
        begun = true;
        await hanging;
        return DONE;
      });
      await waitUntil(() => begun, 'the first began');
      let finishJob = (): void => {};
      const attempts: number[] = [];
      await second.queue.startWorker(async (_work, attempt) => {
        attempts.push(attempt);
        await new Promise<void>((resolve) => (finishJob = resolve));
        return DONE;
      });
      const elapsed = startStopwatch();
      await first.queue.releaseClaims();
      await waitUntil(() => attempts.length === 1, 'the second began');
      expect(elapsed()).to.be.lessThan(2000);
      expect(isAborted).to.equal(true);
      // A run that was taken over does not count against the job.
      expect(attempts).to.deep.equal([1]);
      late();
      await waitUntil(
        () => first.messages.some((message) => message.includes('lease lost')),
        'the late end was refused',
      );
      expect((await second.queue.list({})).map(({ state }) => state)).to.deep.equal(['running']);
      finishJob();
      await waitUntil(() => isEmpty(second), 'done once');
    });
  });

  describe('end of a worker', () => {
    it('waits for running jobs, takes nothing more, and leaves the rest to others', async () => {
      const one = await openWithJobs(
        Array.from({ length: 6 }, (_, n) => createTestJob(n)),
        { concurrency: 2 },
      );
      const gates: (() => void)[] = [];
      let ended = 0;
      await one.queue.startWorker(async () => {
        await new Promise<void>((resolve) => gates.push(resolve));
        ended++;
        return DONE;
      });
      await waitUntil(() => gates.length === 2, 'two run');
      let rested = false;
      const resting = one.queue.drain().then(() => (rested = true));
      await one.queue.add([createTestJob('late')]);
      gates[0]?.();
      await waitUntil(() => ended === 1, 'one ended');
      expect(rested).to.equal(false);
      gates[1]?.();
      await resting;
      expect([gates.length, ended]).to.deep.equal([2, 2]);
      const left = await one.queue.list({});
      expect(left.map(({ state, attempts }) => [state, attempts])).to.deep.equal(
        Array.from({ length: 5 }, () => ['waiting', 0]),
      );
      await runJobs(await open(), 5);
    });

    it('is immediate if nothing was begun, and may be repeated', async () => {
      const one = await openWithJobs([createTestJob()]);
      await one.queue.drain();
      await one.queue.drain();
      await one.queue.startWorker(() => Promise.reject(new Error('not after the end')));
      expect(await one.queue.list({ state: 'waiting' })).to.have.length(1);
    });

    it('does not wait for released jobs', async () => {
      const one = await openWithJobs([createTestJob()]);
      let begun = false;
      await one.queue.startWorker(() => ((begun = true), new Promise(() => {})));
      await waitUntil(() => begun, 'it hangs');
      const resting = one.queue.drain();
      await one.queue.releaseClaims();
      await resting;
      expect((await one.queue.list({})).map(({ state }) => state)).to.deep.equal(['waiting']);
    });
  });
}
