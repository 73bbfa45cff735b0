/** The limiter for transactions that wait for a hash comparison: concurrency, order and rejections. */
import { expect } from 'chai';
import { Fault } from '../../../contract/fault.js';
import { createStepLimiter } from '../../../plugins/features/verify-hashables/runtime.js';

const flushTasks = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('limiter of hash comparisons', () => {
  it('admits a limited number, and the others in order', async () => {
    const turns = createStepLimiter(2, 10);
    const entered: number[] = [];
    const leaves: (() => void)[] = [];
    for (const n of [1, 2, 3, 4]) void turns.acquire().then((leave) => leaves.push(leave) && entered.push(n));
    await flushTasks();
    expect(entered).to.deep.equal([1, 2]);
    leaves[1]?.();
    await flushTasks();
    expect(entered).to.deep.equal([1, 2, 3]);
    leaves[0]?.();
    await flushTasks();
    expect(entered).to.deep.equal([1, 2, 3, 4]);
  });

  it('rejects beyond its queue with Retry-After, and admits again when there is space', async () => {
    const turns = createStepLimiter(1, 1);
    const leave = await turns.acquire();
    const next = turns.acquire();
    const rejected: unknown = await turns.acquire().catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(Fault);
    expect(rejected).to.have.property('code', 'VER_BUSY');
    expect(rejected).to.have.nested.property('options.headers.retry-after');
    leave();
    (await next)();
    (await turns.acquire())();
  });
});
