/** The limiter for hashing: concurrency, queue size and order. Without a clock. */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { createHashLimiter, computeConcurrency, hashLimiter } from '../../../plugins/hashers/shared/hash-limiter.js';

/** Work that the test ends. */
function job(): { readonly work: () => Promise<string>; readonly end: (value: string) => void; started: boolean } {
  let end: (value: string) => void = () => {};
  const promise = new Promise<string>((resolve) => (end = resolve));
  const made = {
    started: false,
    end,
    work: () => {
      made.started = true;
      return promise;
    },
  };
  return made;
}

const flushTasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('limiter of hashers', () => {
  it('admits a limited number, the others in their order, and none ahead of them', async () => {
    const gate = createHashLimiter(2, 10);
    const jobs = Array.from({ length: 5 }, job);
    const results = jobs.map(({ work }) => gate.run(work));
    const running = (): boolean[] => jobs.map(({ started }) => started);
    await flushTasks();
    expect(running()).to.deep.equal([true, true, false, false, false]);
    jobs[1]!.end('second');
    await flushTasks();
    expect(running()).to.deep.equal([true, true, true, false, false]);
    expect([gate.running, gate.waiting]).to.deep.equal([2, 2]);
    for (const { end } of jobs) end('done');
    expect(await Promise.all(results)).to.deep.equal(['done', 'second', 'done', 'done', 'done']);
    expect([gate.running, gate.waiting]).to.deep.equal([0, 0]);
  });

  it('rejects beyond its queue with Retry-After, and admits again when there is space', async () => {
    const gate = createHashLimiter(1, 2);
    const jobs = Array.from({ length: 3 }, job);
    const results = jobs.map(({ work }) => gate.run(work));
    const late = job();
    const rejected = await gate.run(late.work).catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(Fault);
    expect((rejected as Fault).code).to.equal('HSH_BUSY');
    expect(Number((rejected as Fault).options.headers?.['retry-after'])).to.be.greaterThan(0);
    expect(late.started).to.equal(false);
    jobs[0]!.end('');
    await flushTasks();
    const again = gate.run(late.work);
    for (const { end } of [...jobs, late]) end('');
    await Promise.all([...results, again]);
    expect(late.started).to.equal(true);
  });

  it('releases the slot when the work fails, also synchronously', async () => {
    const gate = createHashLimiter(1, 1);
    const fail = (): never => {
      throw new Error('no');
    };
    const outcomes = await Promise.allSettled([
      gate.run(() => Promise.reject(new Error('no'))),
      gate.run(async () => fail()),
    ]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(await gate.run(() => Promise.resolve('fine'))).to.equal('fine');
    expect(gate.running).to.equal(0);
  });

  it('leaves a thread of the pool to other work, and always admits one', () => {
    const sizes: readonly (readonly [string | undefined, number])[] = [
      [undefined, 3],
      ['', 3],
      ['4', 3],
      ['1', 1],
      ['2', 1],
      ['5', 4],
      ['128', 4],
      ['many', 3],
      ['-3', 3],
    ];
    for (const [size, atOnce] of sizes) expect(computeConcurrency(size), String(size)).to.equal(atOnce);
    expect([hashLimiter.running, hashLimiter.waiting]).to.deep.equal([0, 0]);
  });
});
