/** When the server gives memory back: once in each pause, and not while messages come. */
import { expect } from 'chai';
import { collectWhenIdle } from '../../language-server/idle-gc.js';
import { measureInThread } from '../support/measured-heaps.js';

describe('the memory of the server', () => {
  it('is collected once in a pause, and never while messages come', async () => {
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

  it('comes back', async () => {
    expect(await measureInThread('collectedGarbage')).to.be.lessThan(10_000_000);
  });

  it('comes back where some of it is still used', async () => {
    expect(await measureInThread('returnedPages')).to.be.greaterThan(15_000_000);
  });
});
