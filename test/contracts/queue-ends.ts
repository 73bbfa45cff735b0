/** Of the queue contract: leases, and how a worker ends. */
import { expect } from 'chai';
import type { Run } from '../../plugins/queues/kind.js';
import { putOf } from '../support/queues.js';
import { until } from '../support/until.js';
import { DONE, isEmpty, type Suite } from './queue-support.js';
import { startStopwatch } from '../support/stopwatch.js';

export function queueEnds({ open, added, runs }: Suite): void {
  describe('leases', () => {
    it('are renewed while work goes on for longer than one', async () => {
      const [one, two] = [await added([putOf()], { lease: 1 }), await open({ lease: 1 })];
      let begun = 0;
      const long: Run = async (_work, _attempt, signal) => {
        begun++;
        const end = Date.now() + 2200;
        await until(() => Date.now() > end, 'the time is over');
        expect(signal.aborted).to.equal(false);
        return DONE;
      };
      await Promise.all([one.queue.work(long), two.queue.work(long)]);
      await until(() => isEmpty(one), 'it is done');
      expect(begun).to.equal(1);
    });

    it('that are abandoned let others begin at once; the late end counts for nothing', async () => {
      const [first, second] = [await added([putOf(null, { id: 'moved', retries: 0 })]), await open()];
      let [isAborted, late] = [false, (): void => {}];
      const hanging = new Promise<void>((resolve) => (late = resolve));
      let begun = false;
      await first.queue.work(async (_work, _attempt, signal) => {
        signal.addEventListener('abort', () => (isAborted = true));
        begun = true;
        await hanging;
        return DONE;
      });
      await until(() => begun, 'the first began');
      let finish = (): void => {};
      const attempts: number[] = [];
      await second.queue.work(async (_work, attempt) => {
        attempts.push(attempt);
        await new Promise<void>((resolve) => (finish = resolve));
        return DONE;
      });
      const elapsed = startStopwatch();
      await first.queue.abandon();
      await until(() => attempts.length === 1, 'the second began');
      expect(elapsed()).to.be.lessThan(2000);
      expect(isAborted).to.equal(true);
      // A run that was taken away is not held against the work.
      expect(attempts).to.deep.equal([1]);
      late();
      await until(() => first.told.some((message) => message.includes('lease was lost')), 'the late end was refused');
      expect((await second.queue.list({})).map(({ state }) => state)).to.deep.equal(['running']);
      finish();
      await until(() => isEmpty(second), 'done once');
    });
  });

  describe('the end of a worker', () => {
    it('waits for what runs, takes nothing more, and leaves the rest to others', async () => {
      const one = await added(
        Array.from({ length: 6 }, (_, n) => putOf(n)),
        { concurrency: 2 },
      );
      const gates: (() => void)[] = [];
      let ended = 0;
      await one.queue.work(async () => {
        await new Promise<void>((resolve) => gates.push(resolve));
        ended++;
        return DONE;
      });
      await until(() => gates.length === 2, 'two run');
      let rested = false;
      const resting = one.queue.rest().then(() => (rested = true));
      await one.queue.add([putOf('late')]);
      gates[0]?.();
      await until(() => ended === 1, 'one ended');
      expect(rested).to.equal(false);
      gates[1]?.();
      await resting;
      expect([gates.length, ended]).to.deep.equal([2, 2]);
      const left = await one.queue.list({});
      expect(left.map(({ state, attempts }) => [state, attempts])).to.deep.equal(
        Array.from({ length: 5 }, () => ['waiting', 0]),
      );
      await runs(await open(), 5);
    });

    it('is at once where nothing was begun, and may come twice', async () => {
      const one = await added([putOf()]);
      await one.queue.rest();
      await one.queue.rest();
      await one.queue.work(() => Promise.reject(new Error('not after the end')));
      expect(await one.queue.list({ state: 'waiting' })).to.have.length(1);
    });

    it('does not wait for work that was abandoned', async () => {
      const one = await added([putOf()]);
      let begun = false;
      await one.queue.work(() => ((begun = true), new Promise(() => {})));
      await until(() => begun, 'it hangs');
      const resting = one.queue.rest();
      await one.queue.abandon();
      await resting;
      expect((await one.queue.list({})).map(({ state }) => state)).to.deep.equal(['waiting']);
    });
  });
}
