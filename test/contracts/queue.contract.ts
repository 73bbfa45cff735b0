/**
 * Contract of queues, independent of the store: store what was added, run it at least once and in order of priority,
 * count one completion, retry failed jobs, keep dead ones. Events are emitted by the jobs; nothing here waits for a
 * fixed time.
 */
import { expect } from 'chai';
import { Fault } from '../../contract/fault.js';
import { createTestJob, type OpenedQueue } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { testQueueLeases } from './queue-leases.js';
import { testQueueFailures } from './queue-failures.js';
import { testQueueTools } from './queue-tools.js';
import { DONE, createFailedOutcome, isEmpty, createSuite, type QueueBackend } from './queue-support.js';
import { startStopwatch } from '../support/stopwatch.js';

export function queueContract(backend: QueueBackend): void {
  const { name, wakes } = backend;
  describe(`queue ${name}`, function () {
    const suite = createSuite(backend);
    const { open, openWithJobs, runJobs } = suite;

    it('runs an added job with all its fields, and removes it', async () => {
      const text = { text: 'a\0b \ud800 é "$1" \\ \u2028', number: 1.5, list: [null, true, { '': [] }] };
      const put = createTestJob(text, { id: "o'dd; id \\ é" });
      const one = await openWithJobs([put]);
      const begun = await runJobs(one, 1, async (_work, attempt) => {
        expect(attempt).to.equal(1);
        const [seen] = await one.queue.list({});
        expect(seen).to.include({ state: 'running', attempts: 1, dueAt: null });
        return DONE;
      });
      expect(begun).to.deep.equal([put.work]);
      await waitUntil(() => isEmpty(one), 'the work is gone');
      expect(await one.queue.show(put.work.id)).to.equal(null);
    });

    it('returns the number of jobs in each state, and how long the oldest due one has waited', async () => {
      const one = await open();
      expect(await one.queue.backlog?.()).to.deep.equal({ ready: 0, delayed: 0, running: 0, dead: 0, oldest: 0 });
      const late = { ...createTestJob('late'), delay: 600 };
      await one.queue.add([
        createTestJob('first'),
        createTestJob('second'),
        late,
        { ...createTestJob('fails'), retries: 0, priority: 9 },
      ]);
      await waitUntil(async () => ((await one.queue.backlog?.())?.oldest ?? 0) > 0.05, 'it has waited');
      const { oldest, ...counted } = (await one.queue.backlog?.()) ?? { oldest: -1 };
      expect(counted).to.deep.equal({ ready: 3, delayed: 1, running: 0, dead: 0 });
      expect(oldest).to.be.within(0.05, 20);
      const seen: unknown[] = [];
      await runJobs(one, 3, async ({ state }) => {
        seen.push((await one.queue.backlog?.())?.running);
        return state.payload === 'fails' ? createFailedOutcome(false) : DONE;
      });
      expect(Math.max(...seen.map(Number))).to.be.greaterThan(0);
      const left = { ready: 0, delayed: 1, running: 0, dead: 1, oldest: 0 };
      await waitUntil(
        async () => JSON.stringify(await one.queue.backlog?.()) === JSON.stringify(left),
        'all is settled',
      );
    });

    it('keeps added jobs when the process that added them has ended', async () => {
      const first = await openWithJobs([createTestJob('kept')]);
      await first.close();
      const [work] = await runJobs(await open(), 1);
      expect(work?.state.payload).to.equal('kept');
    });

    it('ignores a job whose id exists, while it waits and while it runs', async () => {
      const one = await openWithJobs([createTestJob('first', { id: 'same' })]);
      await one.queue.add([createTestJob('second', { id: 'same' }), createTestJob('other', { id: 'other' })]);
      expect(await one.queue.list({})).to.have.length(2);
      const begun = await runJobs(one, 2, async (work) => {
        await one.queue.add([createTestJob('third', { id: work.id })]);
        return DONE;
      });
      expect(begun.map(({ state }) => state.payload)).to.have.members(['first', 'other']);
      await waitUntil(() => isEmpty(one), 'nothing is left');
    });

    it('adds all of several or none', async () => {
      const one = await open({ max_payload: 2000 });
      const large = createTestJob('x'.repeat(3000));
      const rejected: unknown = await one.queue.add([createTestJob('fits'), large]).catch((error: unknown) => error);
      expect(rejected).to.be.instanceOf(Fault);
      expect(rejected).to.include({ code: 'JOB_TOO_LARGE' });
      expect(await isEmpty(one)).to.equal(true);
      await one.queue.add([]);
      await one.queue.add(Array.from({ length: 50 }, (_, n) => createTestJob(n)));
      expect(await one.queue.list({})).to.have.length(50);
    });

    it('accepts a job of 256 KiB, and no more', async () => {
      const one = await open();
      const frame = JSON.stringify(createTestJob('', { id: 'large' }).work).length;
      await one.queue.add([createTestJob('x'.repeat(262_144 - frame), { id: 'large' })]);
      const rejected: unknown = await one.queue
        .add([createTestJob('x'.repeat(262_145 - frame), { id: 'larger' })])
        .catch((error: unknown) => error);
      expect(rejected).to.include({ code: 'JOB_TOO_LARGE' });
      expect((await runJobs(one, 1)).map(({ id }) => id)).to.deep.equal(['large']);
    });

    it('runs the higher priority first among due jobs, then what was added first, whenever it became due', async () => {
      const priorities = [0, 3, -1, 0.5, 1e9, -0.5, 3, 0, -1e9, 0.25, -7, 0.5];
      const one = await open({ concurrency: 1 });
      for (const [n, priority] of priorities.entries()) {
        await one.queue.add([createTestJob([priority, n], { priority, delay: n % 3 === 0 ? 0.05 : 0 })]);
      }
      await waitUntil(
        async () => (await one.queue.list({})).every(({ dueAt }) => (dueAt ?? 0) <= Date.now() - 50),
        'due',
      );
      const order = (await runJobs(one, priorities.length)).map(({ state }) => state.payload as [number, number]);
      const sorted = priorities.map((priority, n) => [priority, n] as [number, number]);
      sorted.sort((a, b) => b[0] - a[0] || a[1] - b[1]);
      expect(order).to.deep.equal(sorted);
    });

    it('runs later urgent jobs before a backlog', async () => {
      const one = await openWithJobs(
        Array.from({ length: 30 }, (_, n) => createTestJob(n)),
        { concurrency: 2 },
      );
      let confirmAdded = (): void => undefined;
      const added = new Promise<void>((resolve) => (confirmAdded = resolve));
      const begun = await runJobs(one, 31, async ({ state: { payload } }) => {
        if (payload === 3) await one.queue.add([createTestJob('urgent', { priority: 1 })]).then(confirmAdded);
        // Otherwise later jobs would run while a slow store adds the urgent one.
        if (Number(payload) > 3) await added;
        return DONE;
      });
      expect(begun.findIndex(({ state }) => state.payload === 'urgent')).to.be.lessThan(8);
    });

    it('runs nothing before it is due, and soon after it', async () => {
      const one = await open({ poll: 20 });
      const [start, elapsed] = [Date.now(), startStopwatch()];
      await one.queue.startWorker(() => Promise.resolve(DONE));
      await one.queue.add([createTestJob('later', { delay: 1.5, id: 'later' }), createTestJob('now')]);
      await waitUntil(async () => (await one.queue.list({})).length === 1, 'the other is done');
      const [waiting] = await one.queue.list({ state: 'waiting' });
      expect(waiting?.id).to.equal('later');
      expect(waiting?.dueAt).to.be.within(start + 1450, Date.now() + 2000);
      await waitUntil(() => isEmpty(one), 'it ran');
      expect(Date.now() - start).to.be.at.least(1499);
      expect(elapsed()).to.be.lessThan(5000);
    });

    it('runs up to its concurrency, and no more', async () => {
      const one = await openWithJobs(
        Array.from({ length: 12 }, (_, n) => createTestJob(n)),
        { concurrency: 3 },
      );
      let [running, most] = [0, 0];
      const gates: (() => void)[] = [];
      await one.queue.startWorker(async () => {
        most = Math.max(most, ++running);
        await new Promise<void>((resolve) => gates.push(resolve));
        running--;
        return DONE;
      });
      for (let n = 0; n < 12; n++) {
        await waitUntil(() => gates.length > 0 && (running === 3 || n > 9), 'a run waits');
        gates.shift()?.();
      }
      await waitUntil(() => isEmpty(one), 'all done');
      expect(most).to.equal(3);
    });

    it('fills a slot as soon as it is free, without waiting for the next sweep', async () => {
      const one = await openWithJobs(
        Array.from({ length: 40 }, (_, n) => createTestJob(n)),
        { concurrency: 2, poll: 20 },
      );
      const elapsed = startStopwatch();
      await runJobs(one, 40);
      expect(elapsed()).to.be.lessThan(5000);
    });

    it('assigns a job to one of two workers, never to both', async () => {
      const count = 100;
      const workers = [await open(), await open()];
      const seen: string[] = [];
      for (const { queue } of workers)
        await queue.startWorker(async (work) => {
          seen.push(work.id);
          await new Promise((resolve) => setImmediate(resolve));
          return DONE;
        });
      for (let n = 0; n < count; n += 10) {
        await workers[(n / 10) % 2]?.queue.add(
          Array.from({ length: 10 }, (_, i) => createTestJob(n + i, { id: `one of many ${n + i}` })),
        );
      }
      await waitUntil(() => isEmpty(workers[0] as OpenedQueue), 'all done');
      expect(seen).to.have.length(count);
      expect(new Set(seen).size).to.equal(count);
    });

    if (wakes)
      it('wakes a waiting process when another adds a job', async () => {
        const [worker, other] = [await open({ poll: 30 }), await open({ poll: 30 })];
        const begun: string[] = [];
        await worker.queue.startWorker((work) => {
          begun.push(work.id);
          return Promise.resolve(DONE);
        });
        // The first may still be found by the look at the start; the others only by a call.
        for (const n of [1, 2, 3]) {
          await other.queue.add([createTestJob(n)]);
          await waitUntil(() => begun.length === n, `the worker was woken for the ${n}.`);
        }
      });

    it('polls without a notification', async () => {
      const [worker, other] = [await open({ poll: 0.1 }), await open()];
      let ran = 0;
      await worker.queue.startWorker(() => Promise.resolve((ran++, DONE)));
      await other.queue.add([createTestJob()]);
      await waitUntil(() => ran === 1, 'the work was found');
    });

    testQueueFailures(suite);
    testQueueLeases(suite);
    testQueueTools(suite);
  });
}
