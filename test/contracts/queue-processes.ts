/**
 * Of the queue contract: processes that are killed and that are blocked, which are real ones; and several that use one store, of which a
 * handle each is enough.
 */
import { expect } from 'chai';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { startQueueChild, type QueueChild } from '../support/queue-child.js';
import { openQueue, createTestJob, type Address, type OpenedQueue, type Options } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { DONE, isEmpty } from './queue-support.js';
import { describeInCheck } from '../support/short-run.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

export interface ProcessBackend {
  readonly name: string;
  /** An empty queue. */
  readonly address: () => Promise<ServerOrSkip<Address>>;
  /** Several processes may use it at once. */
  readonly shared: boolean;
  /** Seconds; longer than the store may take to respond. */
  readonly lease?: number;
}

export function testQueueProcesses({ name, address, shared, lease = 0.6 }: ProcessBackend): void {
  describeInCheck(`queue ${name}, processes`, function () {
    let place: Address;
    const children: QueueChild[] = [];
    const opened: OpenedQueue[] = [];

    const withOptions = (options: Options = {}): Address => ({
      ...place,
      options: { ...place.options, poll: 0.1, lease, ...options },
    });
    const start = (options?: Options): QueueChild => {
      const child = startQueueChild(withOptions(options));
      children.push(child);
      return child;
    };
    const open = async (options?: Options): Promise<OpenedQueue> => {
      const one = await openQueue(withOptions(options));
      opened.push(one);
      return one;
    };
    const close = async (): Promise<void> => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
    };
    /** The start of a process on the embedded database is expensive. */
    const deaths = shared ? 2 : 1;
    /** Adds, and leaves the queue to another process. */
    const add = async (...puts: Parameters<OpenedQueue['queue']['add']>[0][number][]): Promise<void> => {
      await (await open()).queue.add(puts);
      await close();
    };

    beforeEach(async function () {
      const found = await address();
      if ('skip' in found) return skipTest(this, found.skip);
      place = found;
    });
    afterEach(async () => {
      await Promise.all(children.splice(0).map((child) => child.kill()));
      await close();
    });

    it('that crash lose nothing, and jobs that crash them are dead after enough attempts', async () => {
      await add(
        createTestJob({ hang: true }, { id: 'job', retries: deaths, priority: 1 }),
        createTestJob({ die: true }, { id: 'deadly', retries: deaths - 1 }),
      );
      for (let attempt = 1; attempt <= deaths; attempt++) {
        const child = start();
        await child.waitForLine(`begin deadly ${attempt}`);
        await child.over;
        expect(child.lines).to.include(`begin job ${attempt}`);
      }
      const elapsed = startStopwatch();
      const one = await open();
      const seen: [string, number][] = [];
      await one.queue.startWorker((work, attempt) => {
        seen.push([work.id, attempt]);
        return Promise.resolve(DONE);
      });
      await waitUntil(
        async () => (await one.queue.list({})).map(({ state }) => state).join() === 'dead',
        'all is settled',
      );
      expect(elapsed()).to.be.lessThan(lease * 1000 + 4000);
      expect(seen).to.deep.equal([['job', deaths + 1]]);
      const [view] = await one.queue.list({});
      expect(view).to.include({ id: 'deadly', attempts: deaths });
      expect(view?.failure?.code).to.equal('JOB_LOST');
    });

    if (!shared) return;

    it('that release endless jobs end when the queue is closed', async () => {
      await add(createTestJob({ hang: true }, { id: 'endless', retries: 1 }));
      const child = start();
      await child.waitForLine('begin endless 1');
      child.terminate();
      await child.waitForLine('closed');
      await child.over;
    });

    it('that are blocked for longer than a lease lose their jobs, and their late end is ignored', async () => {
      const one = await open();
      await one.queue.add([createTestJob({ block: lease * 2000 }, { id: 'job', retries: 1 })]);
      const child = start();
      await child.waitForLine('begin job 1');
      let finishJob = (): void => {};
      const attempts: number[] = [];
      await one.queue.startWorker(async (_work, attempt) => {
        attempts.push(attempt);
        await new Promise<void>((resolve) => (finishJob = resolve));
        return DONE;
      });
      await waitUntil(() => attempts.length === 1, 'taken up meanwhile');
      expect(child.lines).to.not.include('end job');
      await child.waitForLine('lost job');
      await child.waitForLine('end job');
      expect((await one.queue.list({})).map(({ id, state }) => [id, state])).to.deep.equal([['job', 'running']]);
      finishJob();
      await waitUntil(() => isEmpty(one), 'done once');
      expect(attempts).to.deep.equal([2]);
    });

    it('may start together on a new store', async () => {
      // A lease that ends here would mean a slow machine: the work would be dead.
      const long = { lease: 60 };
      const three = await Promise.all([open(long), open(long), open(long)]);
      const ends: string[] = [];
      for (const { queue } of three) await queue.startWorker((work) => Promise.resolve((ends.push(work.id), DONE)));
      const ids = Array.from({ length: 30 }, (_, n) => `n${n}`);
      await Promise.all(
        three.map((one, k) => one.queue.add(ids.slice(10 * k, 10 * k + 10).map((id) => createTestJob(null, { id })))),
      );
      await waitUntil(() => isEmpty(three[0]), 'all done');
      expect(ends).to.have.members(ids);
    });

    it('that move jobs between states hide none of them from a list', async () => {
      const ids = ['a', 'b', 'c', 'd'];
      const [worker, one] = [await open(), await open()];
      let over = false;
      // As soon as it is dead.
      const putBack = async (id: string): Promise<void> => {
        while (!over && !(await worker.queue.retry(id)));
      };
      const turning: Promise<void>[] = [];
      await worker.queue.add(ids.map((id) => createTestJob(null, { id })));
      await worker.queue.startWorker(({ id }) => {
        turning.push(putBack(id));
        return Promise.resolve({ done: false, code: 'TST_TURNS', detail: 'It turns.', retryable: false });
      });
      await waitUntil(() => turning.length > ids.length, 'all turn');
      const seen = new Set<string>();
      for (let n = 0; n < 200; n++) {
        const views = await one.queue.list({});
        seen.add(
          views
            .map(({ id }) => id)
            .sort()
            .join(),
        );
      }
      over = true;
      await Promise.all(turning);
      expect([...seen]).to.deep.equal([ids.join()]);
    });
  });
}
