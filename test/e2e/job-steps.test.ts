/**
 * Deferred work continues at its last step: what a group of actionables has committed is not repeated when a later one
 * fails, and its results and generated values are available to later ones. On every queue store.
 */
import { expect } from 'chai';
import { STEP_FILES, startStepKernel, STEP_STORES, type StepKernel } from '../support/job-steps.js';
import { waitForValue } from '../support/jobs.js';
import { skipTest } from '../support/skip.js';

for (const { name, make } of STEP_STORES) {
  describe(`job of several steps (${name})`, function () {
    let running: StepKernel | undefined;
    const steps = (): StepKernel => {
      if (running === undefined) throw new Error('not started');
      return running;
    };
    before(async function () {
      const store = await make();
      if ('skip' in store) return skipTest(this, store.skip);
      running = await startStepKernel(store, STEP_FILES);
    });
    after(() => running?.close());
    const idle = (): Promise<unknown> =>
      waitForValue(
        () => steps().jobs(),
        (jobs) => jobs.length === 0,
      );

    it('inserts once if the next call fails at first, with the same key each time', async () => {
      const { post, rows, calls, failNext } = steps();
      failNext(1);
      expect((await post('/order', { ref: 'a' })).status).to.equal(202);
      await idle();
      const [order, ...more] = await rows('orders');
      expect(more).to.deep.equal([]);
      const made = calls();
      expect(made.map(({ body }) => body)).to.deep.equal([{ order: order?.['id'] }, { order: order?.['id'] }]);
      expect(new Set(made.map(({ key }) => key)).size).to.equal(1);
    });

    it('counts rows once that the database numbers', async () => {
      const { post, rows, failNext, calls } = steps();
      failNext(2);
      await post('/numbered', { ref: 'b' });
      await idle();
      const [row, ...more] = await rows('counts');
      expect(more).to.deep.equal([]);
      expect(calls().map(({ body }) => body)).to.deep.equal(Array(3).fill({ n: row?.['n'] }));
    });

    it('repeats no successful call if the next statement fails', async () => {
      const { post, rows, calls, failNext } = steps();
      failNext(0);
      await post('/taken', { id: 'x' });
      await idle();
      await post('/called', { id: 'x' });
      const dead = await waitForValue(
        () => steps().jobs(),
        (jobs) => jobs[0]?.state === 'dead',
      );
      expect(dead[0]?.failure?.code).to.equal('QRY_UNIQUE');
      expect(calls().filter(({ body }) => 'asked' in body)).to.have.length(1);
      await post('/free', { id: 'x' });
      expect(await steps().retry(dead[0]?.id ?? '')).to.equal(true);
      await idle();
      expect(calls().filter(({ body }) => 'asked' in body)).to.have.length(1);
      expect(await rows('takes')).to.deep.equal([{ id: 'x', answer: 'said x' }]);
    });
  });
}
