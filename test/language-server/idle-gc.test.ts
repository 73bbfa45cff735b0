/** The server releases memory once in each pause, and not while messages arrive. */
import { expect } from 'chai';
import { collectWhenIdle } from '../../language-server/idle-gc.js';
import { measureInThread } from '../support/measured-heaps.js';

describe('the memory of the server', () => {
  it('is collected once in each pause, step by step, and never while messages arrive', async () => {
    const seen: number[] = [];
    let resolveLast = (): void => undefined;
    const last = new Promise<void>((resolve) => (resolveLast = resolve));
    const steps = [1, 2, 3].map((n) => (): void => {
      seen.push(n);
      // A message delays the next step.
      if (n === 2) queueMicrotask(noticed);
      if (n === 3) resolveLast();
    });
    const noticed = collectWhenIdle(steps, 20, 1);
    for (let i = 0; i < 100; i++) noticed();
    expect(seen).to.deep.equal([]);
    // The pause does not keep a process alive; this test is one that waits.
    const alive = setInterval(() => undefined, 1000);
    await last;
    clearInterval(alive);
    expect(seen).to.deep.equal([1, 2, 3]);
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
