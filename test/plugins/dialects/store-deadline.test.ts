/** The deadline of a request while a store works: the result of the caller, the fate of the work, and the timer of the wait. */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { endAtDeadline, type Waiting } from '../../../plugins/shared/deadline.js';
import { replaceTime, type ManualTime } from '../../support/manual-time.js';

const createRequest = (deadline: number): Waiting => ({ invocation: { deadline } });

describe('store deadline', () => {
  let time!: ManualTime;
  beforeEach(() => (time = replaceTime()));
  afterEach(() => time.restoreGlobals());

  /** Records the outcome once it is available. */
  function wait(deadline: number, settled?: (late: string) => void) {
    const seen: unknown[] = [];
    let finish!: (result: string) => void;
    let fail!: (error: Error) => void;
    const work = new Promise<string>((resolve, reject) => ([finish, fail] = [resolve, reject]));
    Promise.resolve(endAtDeadline(work, createRequest(deadline), 'the cache', settled)).then(
      (result) => seen.push(result),
      (error: unknown) => seen.push(error),
    );
    return { seen, finish, fail };
  }

  it('is off without a limit, and for an available result', () => {
    const work = Promise.resolve(1);
    expect(endAtDeadline(work, null, 'the cache')).to.equal(work);
    expect(endAtDeadline(work, createRequest(Infinity), 'the cache')).to.equal(work);
    expect(endAtDeadline(1, createRequest(5), 'the cache')).to.equal(1);
    expect(time.timers()).to.equal(0);
  });

  it('ends with the work if that ends in time, and leaves no timer', async () => {
    const [done, failed] = [wait(100), wait(100)];
    done.finish('done');
    failed.fail(new Error('away'));
    await time.advance(99);
    expect(done.seen).to.deep.equal(['done']);
    expect(String(failed.seen)).to.equal('Error: away');
    expect(time.timers()).to.equal(0);
  });

  it('ends at its limit, and not before', async () => {
    const { seen } = wait(100);
    await time.advance(99);
    expect(seen).to.deep.equal([]);
    await time.advance(20);
    const [fault] = seen as [Fault];
    expect(fault).to.be.instanceOf(Fault);
    expect([fault.code, fault.params, fault.options.retryable, fault.options.headers]).to.deep.equal([
      'REQ_LATE',
      { what: 'the cache' },
      true,
      { 'retry-after': '1' },
    ]);
    await time.advance(40);
    expect(time.timers(), 'the work still runs, but nothing waits for it').to.equal(0);
  });

  it('passes on a late result, and only then', async () => {
    const late: string[] = [];
    const [first, second] = [wait(50, (result) => late.push(result)), wait(1000, (result) => late.push(result))];
    await time.advance(100);
    first.finish('first');
    second.finish('second');
    await time.advance(0);
    expect([late, second.seen]).to.deep.equal([['first'], ['second']]);
    await time.advance(40);
  });
});
