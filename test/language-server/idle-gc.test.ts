/** The server releases memory once in each pause, and not while messages arrive. */
import { expect } from 'chai';
import { collectWhenIdle, createGarbageCollector } from '../../language-server/idle-gc.js';

describe('the memory of the server', () => {
  it('is collected once in each pause, and never while messages arrive', async () => {
    let collected = 0;
    let resolveCollected = (): void => undefined;
    const first = new Promise<void>((resolve) => (resolveCollected = resolve));
    const noticed = collectWhenIdle(() => {
      collected++;
      resolveCollected();
    }, 20);
    for (let i = 0; i < 100; i++) noticed();
    expect(collected).to.equal(0);
    // The pause does not keep a process alive; this test is one that waits.
    const alive = setInterval(() => undefined, 1000);
    await first;
    clearInterval(alive);
    expect(collected).to.equal(1);
  });

  it('is released', () => {
    const collect = createGarbageCollector();
    const before = process.memoryUsage().heapUsed;
    expect(Array.from({ length: 200_000 }, (_, i) => ({ i }))).to.have.length(200_000);
    collect();
    expect(process.memoryUsage().heapUsed).to.be.lessThan(before + 10_000_000);
  });

  it('is released where some of it is in use', () => {
    const collect = createGarbageCollector();
    const all = Array.from({ length: 300_000 }, (_, i) => ({ i, list: [i] }));
    collect();
    const before = process.memoryUsage().heapTotal;
    // In each page of the heap some are left.
    const some = all.filter(({ i }) => i % 4 === 0);
    all.length = 0;
    collect();
    expect(process.memoryUsage().heapTotal).to.be.lessThan(before - 15_000_000);
    expect(some).to.have.length(75_000);
  });
});
