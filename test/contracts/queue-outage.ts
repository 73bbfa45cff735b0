/** Of the queue contract: a store that closes, or goes silent, while the queue is in use. */
import { expect } from 'chai';
import type { JobEntry } from '../../contract/deferred.js';
import { Fault } from '../../contract/fault.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import type { ServerOrSkip } from '../support/guarded-server.js';
import { openQueue, createTestJob, type Address, type OpenedQueue } from '../support/queues.js';
import { waitUntil } from '../support/until.js';
import { DONE, isEmpty } from './queue-support.js';
import { describeInCheck } from '../support/short-run.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

export interface OutageBackend {
  readonly name: string;
  /** A new queue, and the way to it that fails on demand. */
  readonly openProxied: () => Promise<
    ServerOrSkip<{ readonly address: Address; readonly direct: Address; readonly proxy: FaultProxy }>
  >;
}

export function testQueueOutage({ name, openProxied }: OutageBackend): void {
  describeInCheck(`queue ${name}, its store unavailable`, function () {
    let [address, direct] = [{} as Address, {} as Address];
    let proxy: FaultProxy | undefined;
    const opened: OpenedQueue[] = [];
    /** A slow server may time out and accept the job all the same; the same id is accepted once. */
    const add = ({ queue }: OpenedQueue, put: JobEntry): Promise<void> =>
      waitUntil(() =>
        queue.add([put]).then(
          () => true,
          () => false,
        ),
      );
    const open = async (to: Address, options: object = {}): Promise<OpenedQueue> => {
      const one = await openQueue({ ...to, options: { ...to.options, poll: 0.2, ...options } });
      opened.push(one);
      return one;
    };

    beforeEach(async function () {
      const found = await openProxied();
      if ('skip' in found) return skipTest(this, found.skip);
      ({ address, direct, proxy } = found);
    });
    afterEach(async () => {
      await proxy?.passTraffic();
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await proxy?.close();
    });

    for (const way of ['closed', 'silent'] as const) {
      it(`rejects jobs within a second when it is ${way}, and continues when it is available`, async () => {
        const one = await open(address, { lease: 3 });
        const done = new Set<string>();
        await one.queue.startWorker((work) => Promise.resolve((done.add(work.id), DONE)));
        await add(one, createTestJob(null, { id: 'before' }));
        await waitUntil(() => done.has('before'), 'the first is done');
        if (way === 'closed') proxy?.reset();
        else proxy?.stall();
        for (const id of ['refused', 'refused too']) {
          const elapsed = startStopwatch();
          const rejected: unknown = await one.queue.add([createTestJob(null, { id })]).catch((error: unknown) => error);
          expect(elapsed()).to.be.lessThan(1100);
          expect(rejected).to.be.instanceOf(Fault);
          const { code, options } = rejected as Fault;
          expect([code, options.headers]).to.deep.equal(['JOB_AWAY', { 'retry-after': '1' }]);
        }
        // Others still reach it, and leave work for this process.
        await add(await open(direct), createTestJob(null, { id: 'meanwhile', retries: 9 }));
        if (way === 'silent') proxy?.reset();
        await proxy?.passTraffic();
        await waitUntil(() => done.has('meanwhile'), 'what others added was done');
        await add(one, createTestJob(null, { id: 'after' }));
        await waitUntil(() => done.has('after'), 'work is taken again');
        // Not once for each failure. On a slow machine one more may follow the first success.
        const reported = one.messages.filter((message) => /store (?:unavailable;|available)/.test(message));
        const expected = reported.map((_, index) => (index % 2 === 0 ? 'store unavailable' : 'store available'));
        expect(reported.map((message) => /store \w+/.exec(message)?.[0])).to.deep.equal(expected);
        expect(reported.at(-1)).to.contain('store available');
      });
    }

    it('does not prevent the start, and connects when it is available', async () => {
      proxy?.reset();
      const one = await open(address);
      const done = new Set<string>();
      await one.queue.startWorker((work) => Promise.resolve((done.add(work.id), DONE)));
      await proxy?.passTraffic();
      await add(await open(direct), createTestJob(null, { id: 'found' }));
      await waitUntil(() => done.has('found'), 'the worker found its store');
    });

    it('loses no end of a job during the outage: it is recorded when the store is available', async () => {
      const one = await open(address, { lease: 20 });
      let [begun, finish] = [0, (): void => {}];
      await add(one, createTestJob());
      await one.queue.startWorker(async () => {
        begun++;
        await new Promise<void>((resolve) => (finish = resolve));
        return DONE;
      });
      await waitUntil(() => begun === 1, 'it runs');
      proxy?.reset();
      finish();
      const other = await open(direct);
      expect(await other.queue.list({ state: 'running' })).to.have.length(1);
      await proxy?.passTraffic();
      await waitUntil(() => isEmpty(other), 'the end was noted');
      expect(begun).to.equal(1);
    });

    it('reports a run whose lease can no longer be confirmed', async () => {
      const one = await open(address, { lease: 0.5 });
      const other = await open(direct, { lease: 0.5 });
      await add(one, createTestJob(null, { retries: 1 }));
      let [begun, aborted] = [false, false];
      await one.queue.startWorker(async (_work, _attempt, signal) => {
        begun = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', resolve));
        aborted = true;
        return DONE;
      });
      await waitUntil(() => begun, 'it runs');
      proxy?.reset();
      const attempts: number[] = [];
      await other.queue.startWorker((_work, attempt) => Promise.resolve((attempts.push(attempt), DONE)));
      await waitUntil(() => aborted && attempts.length === 1, 'told, and done by the other');
      await waitUntil(() => isEmpty(other), 'done');
      expect(attempts).to.deep.equal([2]);
    });
  });
}
