/** Of the queue contract: a store that closes, or goes silent, while the queue is in use. */
import { expect } from 'chai';
import type { Put } from '../../contract/deferred.js';
import { Fault } from '../../contract/fault.js';
import type { FaultProxy } from '../support/fault-proxy.js';
import type { Found } from '../support/guarded.js';
import { openQueue, putOf, type Address, type Opened } from '../support/queues.js';
import { until } from '../support/until.js';
import { DONE, isEmpty } from './queue-support.js';
import { skipTest } from '../support/skip.js';
import { startStopwatch } from '../support/stopwatch.js';

export interface AwayBackend {
  readonly name: string;
  /** A new queue, and the way to it that fails on demand. */
  readonly behind: () => Promise<
    Found<{ readonly address: Address; readonly direct: Address; readonly proxy: FaultProxy }>
  >;
}

export function queueAway({ name, behind }: AwayBackend): void {
  describe(`queue ${name}, its store away`, function () {
    let [address, direct] = [{} as Address, {} as Address];
    let proxy: FaultProxy | undefined;
    const opened: Opened[] = [];
    /** A slow server may refuse it in time and accept it all the same; the same id is accepted once. */
    const add = ({ queue }: Opened, put: Put): Promise<void> =>
      until(() =>
        queue.add([put]).then(
          () => true,
          () => false,
        ),
      );
    const open = async (to: Address, options: object = {}): Promise<Opened> => {
      const one = await openQueue({ ...to, options: { ...to.options, poll: 0.2, ...options } });
      opened.push(one);
      return one;
    };

    beforeEach(async function () {
      const found = await behind();
      if ('skip' in found) return skipTest(this, found.skip);
      ({ address, direct, proxy } = found);
    });
    afterEach(async () => {
      await proxy?.pass();
      await Promise.all(opened.splice(0).map((one) => one.close()));
      await proxy?.close();
    });

    for (const way of ['closed', 'silent'] as const) {
      it(`refuses work within a second when it is ${way}, and goes on when it is back`, async () => {
        const one = await open(address, { lease: 3 });
        const done = new Set<string>();
        await one.queue.work((work) => Promise.resolve((done.add(work.id), DONE)));
        await add(one, putOf(null, { id: 'before' }));
        await until(() => done.has('before'), 'the first is done');
        if (way === 'closed') proxy?.reset();
        else proxy?.stall();
        for (const id of ['refused', 'refused too']) {
          const elapsed = startStopwatch();
          const refused: unknown = await one.queue.add([putOf(null, { id })]).catch((error: unknown) => error);
          expect(elapsed()).to.be.lessThan(1100);
          expect(refused).to.be.instanceOf(Fault);
          const { code, options } = refused as Fault;
          expect([code, options.headers]).to.deep.equal(['JOB_AWAY', { 'retry-after': '1' }]);
        }
        // Others still reach it, and leave work for this process.
        await add(await open(direct), putOf(null, { id: 'meanwhile', retries: 9 }));
        if (way === 'silent') proxy?.reset();
        await proxy?.pass();
        await until(() => done.has('meanwhile'), 'what others added was done');
        await add(one, putOf(null, { id: 'after' }));
        await until(() => done.has('after'), 'work is taken again');
        // Not once for each failure; a late one of before may come after the first success.
        const told = one.told.filter((message) => /is away|is back/.test(message));
        expect(told).to.have.length.within(2, 4);
        expect(told.at(-1)).to.contain('is back');
      });
    }

    it('does not stop the start, and is found when it is there', async () => {
      proxy?.reset();
      const one = await open(address);
      const done = new Set<string>();
      await one.queue.work((work) => Promise.resolve((done.add(work.id), DONE)));
      await proxy?.pass();
      await add(await open(direct), putOf(null, { id: 'found' }));
      await until(() => done.has('found'), 'the worker found its store');
    });

    it('loses no end of work that lies between: it is noted when the store is back', async () => {
      const one = await open(address, { lease: 20 });
      let [begun, finish] = [0, (): void => {}];
      await add(one, putOf());
      await one.queue.work(async () => {
        begun++;
        await new Promise<void>((resolve) => (finish = resolve));
        return DONE;
      });
      await until(() => begun === 1, 'it runs');
      proxy?.reset();
      finish();
      const other = await open(direct);
      expect(await other.queue.list({ state: 'running' })).to.have.length(1);
      await proxy?.pass();
      await until(() => isEmpty(other), 'the end was noted');
      expect(begun).to.equal(1);
    });

    it('tells a run that nobody can vouch for its lease any more', async () => {
      const one = await open(address, { lease: 0.5 });
      const other = await open(direct, { lease: 0.5 });
      await add(one, putOf(null, { retries: 1 }));
      let [begun, aborted] = [false, false];
      await one.queue.work(async (_work, _attempt, signal) => {
        begun = true;
        await new Promise<void>((resolve) => signal.addEventListener('abort', resolve));
        aborted = true;
        return DONE;
      });
      await until(() => begun, 'it runs');
      proxy?.reset();
      const attempts: number[] = [];
      await other.queue.work((_work, attempt) => Promise.resolve((attempts.push(attempt), DONE)));
      await until(() => aborted && attempts.length === 1, 'told, and done by the other');
      await until(() => isEmpty(other), 'done');
      expect(attempts).to.deep.equal([2]);
    });
  });
}
