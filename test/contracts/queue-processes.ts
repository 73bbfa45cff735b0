/** Of the queue contract: processes that are killed, that are blocked, that start together. They are real ones. */
import { expect } from 'chai';
import type { Found } from '../support/guarded.js';
import { startQueueChild, type QueueChild } from '../support/queue-child.js';
import { openQueue, putOf, type Address, type Opened, type Options } from '../support/queues.js';
import { until } from '../support/until.js';
import { DONE, isEmpty } from './queue-support.js';

export interface ProcessBackend {
  readonly name: string;
  /** An empty queue. */
  readonly address: () => Promise<Found<Address>>;
  /** Several processes may use it at once. */
  readonly shared: boolean;
  /** Seconds; longer than the store may need for an answer. */
  readonly lease?: number;
}

export function queueProcesses({ name, address, shared, lease = 0.6 }: ProcessBackend): void {
  describe(`queue ${name}, processes`, function () {
    this.timeout(60_000);
    let place: Address;
    const children: QueueChild[] = [];
    const opened: Opened[] = [];

    const withOptions = (options: Options = {}): Address => ({
      ...place,
      options: { ...place.options, poll: 0.1, lease, ...options },
    });
    const start = (options?: Options): QueueChild => {
      const child = startQueueChild(withOptions(options));
      children.push(child);
      return child;
    };
    const open = async (options?: Options): Promise<Opened> => {
      const one = await openQueue(withOptions(options));
      opened.push(one);
      return one;
    };
    const close = async (): Promise<void> => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
    };
    /** Adds, and leaves the queue to another process. */
    const add = async (...puts: Parameters<Opened['queue']['add']>[0][number][]): Promise<void> => {
      await (await open()).queue.add(puts);
      await close();
    };

    beforeEach(async function () {
      const found = await address();
      if ('skip' in found) return this.skip();
      place = found;
    });
    afterEach(async () => {
      await Promise.all(children.splice(0).map((child) => child.kill()));
      await close();
    });

    it('that give up work without end are over when the queue is closed', async () => {
      await add(putOf({ hang: true }, { id: 'job', retries: 1 }));
      const child = start();
      await child.printed('begin job 1');
      child.term();
      await child.printed('closed');
      await child.over;
    });

    if (shared)
      it('that move work from one state to the next hide none of it from a list', async () => {
        const ids = ['a', 'b', 'c', 'd'];
        await add(...ids.map((id) => putOf({ turn: true }, { id })));
        const child = start();
        const one = await open();
        await child.printed('begin d 1');
        const seen = new Set<string>();
        for (let n = 0; n < 300; n++)
          seen.add(
            (await one.queue.list({}))
              .map(({ id }) => id)
              .sort()
              .join(),
          );
        expect([...seen]).to.deep.equal([ids.join()]);
      });

    it('that are killed lose nothing: another has the work when the lease is over', async () => {
      await add(putOf({ hang: true }, { id: 'job', retries: 1 }));
      const child = start();
      await child.printed('begin job 1');
      const killed = Date.now();
      await child.kill();
      const one = await open();
      const seen: [string, number][] = [];
      await one.queue.work((work, attempt) => {
        seen.push([work.id, attempt]);
        return Promise.resolve(DONE);
      });
      await until(() => isEmpty(one), 'it was done');
      expect(seen).to.deep.equal([['job', 2]]);
      expect(Date.now() - killed).to.be.lessThan(lease * 1000 + 4000);
    });

    it('that die of their work stop dying of it: it is dead when it was begun often enough', async () => {
      await add(putOf({ die: true }, { id: 'deadly', retries: 1 }));
      for (const attempt of [1, 2]) {
        const child = start({ concurrency: 1 });
        await child.printed(`begin deadly ${attempt}`);
        await child.over;
      }
      // Due when the lease of the other is over, which is then found first.
      await add(putOf(null, { id: 'harmless', delay: lease + 0.4 }));
      const third = start({ concurrency: 1 });
      await third.printed('end harmless');
      await third.kill();
      const one = await open();
      await until(async () => (await one.queue.list({ state: 'dead' })).length === 1, 'it is dead');
      expect(third.lines.some((line) => line.includes('deadly'))).to.equal(false);
      const [view] = await one.queue.list({});
      expect(view).to.include({ id: 'deadly', attempts: 2 });
      expect(view?.failure?.code).to.equal('JOB_LOST');
    });

    if (!shared) return;

    it('that are blocked for longer than a lease lose their work, and their late end counts for nothing', async () => {
      const one = await open();
      await one.queue.add([putOf({ block: lease * 2500 }, { id: 'job', retries: 1 })]);
      const child = start();
      await child.printed('begin job 1');
      let finish = (): void => {};
      const attempts: number[] = [];
      await one.queue.work(async (_work, attempt) => {
        attempts.push(attempt);
        await new Promise<void>((resolve) => (finish = resolve));
        return DONE;
      });
      await until(() => attempts.length === 1, 'taken up meanwhile');
      expect(child.lines).to.not.include('end job');
      await child.printed('lost job');
      await child.printed('end job');
      expect((await one.queue.list({})).map(({ id, state }) => [id, state])).to.deep.equal([['job', 'running']]);
      finish();
      await until(() => isEmpty(one), 'done once');
      expect(attempts).to.deep.equal([2]);
    });

    it('may start together on a new store', async () => {
      const three = [start(), start(), start()];
      await Promise.all(three.map((child) => child.printed('ready')));
      const one = await open();
      await one.queue.add(Array.from({ length: 30 }, (_, n) => putOf(null, { id: `n${n}` })));
      await until(() => isEmpty(one), 'all done');
      const ends = three.flatMap(({ lines }) => lines.filter((line) => line.startsWith('end')));
      await until(
        () => three.flatMap(({ lines }) => lines.filter((line) => line.startsWith('end'))).length >= 30,
        'told',
      );
      expect(new Set(ends).size).to.equal(ends.length);
    });
  });
}
