/** The server releases memory once in each pause, and not while messages arrive. */
import { expect } from 'chai';
import { collectWhenIdle } from '../../language-server/idle-gc.js';
import { measureInThread } from '../support/measured-heaps.js';

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

  it('is released', async () => {
    expect(await measureInThread('collectedGarbage')).to.be.lessThan(10_000_000);
  });

  it('does not hold the analysis of an earlier state for completions', async () => {
    expect(await measureInThread('heldAnalyses')).to.equal(0);
  });

  it('is released where some of it is in use', async () => {
    expect(await measureInThread('returnedPages')).to.be.greaterThan(15_000_000);
  });
});
