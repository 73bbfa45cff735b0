/** A start without its servers: what is served meanwhile, and when waiting ends. */
import { expect } from 'chai';
import { compilePatterns } from '../../../kernel/plan/patterns.js';
import type { PlanSet, ResourcePlan } from '../../../contract/resource-plan.js';
import { BootError } from '../../../contract/boot-error.js';
import { createFault, type Fault } from '../../../contract/fault.js';
import { retryUntilAvailable, rejectWaiting } from '../../../kernel/runtime/retry-unavailable.js';
import { createResourcePlan } from '../../support/plans.js';
import { waitUntil } from '../../support/until.js';

describe('unavailable servers', () => {
  const plans = ['fine', 'waits', 'waits/:id'].map((path) =>
    createResourcePlan([], { id: path.replace('/:id', ' of one'), path }),
  );
  const set = {
    byId: new Map(plans.map((plan) => [plan.id, plan])),
    byPath: new Map(plans.slice(0, 2).map((plan) => [`/${plan.path}`, plan])),
    patterns: compilePatterns([
      { path: 'waits/:id', plan: plans[2] ?? null },
      { path: 'broken/:id', plan: null },
    ]),
    hash: 'h',
  } as unknown as PlanSet;
  const served = rejectWaiting(set, ({ id }) => id.startsWith('waits'));
  const catchAdmitFault = (plan: ResourcePlan | null | undefined): unknown => {
    if (plan?.admit === null || plan?.admit === undefined) return null;
    try {
      return plan.admit.map((step) => step.run(null as never, null as never));
    } catch (error) {
      const { code, options } = error as Fault;
      return [code, options];
    }
  };

  it('return 503 for resources that need them, while others are served', () => {
    const REJECTED = ['REQ_WAITING', { retryable: true, headers: { 'retry-after': '1' } }];
    expect([...served.byId.values()].map(catchAdmitFault)).to.deep.equal([null, REJECTED, REJECTED]);
    expect([...served.byPath.values()].map(catchAdmitFault)).to.deep.equal([null, REJECTED]);
    expect(catchAdmitFault(served.patterns.find('/waits/5')?.plan)).to.deep.equal(REJECTED);
    expect([served.patterns.find('/broken/5')?.plan, served.hash]).to.deep.equal([null, 'h']);
    expect(served.byId.get('fine')).to.equal(plans[0]);
  });
});

describe('retries of an unavailable server', () => {
  function setUp(reopen: () => Promise<void>, prepare: () => Promise<void> = () => Promise.resolve()) {
    const happened: string[] = [];
    const unavailable = new Map([['database', 'it is unavailable']]);
    const closing = new AbortController();
    const input = {
      lifecycle: {
        unavailable,
        reopenInstance: () => (happened.push('reopen'), reopen()),
        close: () => Promise.resolve(void happened.push('close')),
      },
      log: { info: () => undefined },
      signal: closing.signal,
      prepare: () => (happened.push('prepare'), prepare()),
      onAvailable: () => void happened.push('came'),
    };
    return {
      happened,
      unavailable,
      closing,
      wait: () => retryUntilAvailable([{ key: 'database' }] as never, input as never),
    };
  }

  it('end when it is available and prepared', async () => {
    const { happened, unavailable, wait } = setUp(() => Promise.resolve());
    await wait();
    expect([happened, unavailable.size]).to.deep.equal([['reopen', 'prepare', 'came'], 0]);
  });

  it('end with the kernel, without another attempt', async () => {
    const { happened, unavailable, closing, wait } = setUp(() => Promise.resolve());
    closing.abort();
    await wait();
    expect([happened, unavailable.size]).to.deep.equal([[], 1]);
  });

  it('close what was opened while the kernel closes', async () => {
    const made = setUp(() => Promise.resolve(made.closing.abort()));
    await made.wait();
    expect(made.happened).to.deep.equal(['reopen', 'close']);
  });

  const unavailableFault = (): BootError =>
    new BootError('PLG_OPEN', { detail: 'it sleeps' }, createFault('DB_AWAY', {}, { retryable: true }));

  it('double their pauses, and report why it is unavailable', async () => {
    const at: number[] = [];
    const made = setUp(
      () => (at.push(performance.now()), at.length < 3 ? Promise.reject(unavailableFault()) : Promise.resolve()),
    );
    const begun = performance.now();
    const waited = made.wait();
    await waitUntil(() => at.length === 2, 'the second attempt');
    expect(made.unavailable.get('database')).to.equal('it sleeps');
    await waited;
    // Three quarters of 50, 100 and 200 ms at least; timers of Node may be a millisecond early.
    const pauses = [begun, ...at].slice(0, 3).map((from, n) => (at[n] ?? 0) - from);
    for (const [n, least] of [36, 73, 148].entries()) expect(pauses[n]).to.be.greaterThan(least);
    expect(made.happened).to.deep.equal([...Array<string>(3).fill('reopen'), 'prepare', 'came']);
  });

  it('open only once what cannot be prepared yet', async () => {
    let tries = 0;
    const { happened, wait } = setUp(
      () => Promise.resolve(),
      () => (++tries < 2 ? Promise.reject(unavailableFault()) : Promise.resolve()),
    );
    await wait();
    expect(happened).to.deep.equal(['reopen', 'prepare', 'prepare', 'came']);
  });

  it('reject with the cause, unless the kernel closes', async () => {
    const wrong = new Error('wrong');
    const { wait } = setUp(() => Promise.reject(wrong));
    expect(await wait().catch((error: unknown) => error)).to.equal(wrong);
    const closing = setUp(() => {
      closing.closing.abort();
      return Promise.reject(wrong);
    });
    await closing.wait();
    expect(closing.happened).to.deep.equal(['reopen']);
  });
});
