/** Claims of a process on a store: at most as many jobs as may run, in order, one claim at a time. */
import { expect } from 'chai';
import { createClaims, type Claims } from '../../../plugins/queues/shared/claims.js';
import type { ClaimedJob, JobLease } from '../../../plugins/queues/shared/store.js';

const LEASE = 5000;
const job = (id: string): ClaimedJob => ({ id, token: '', attempt: 1, retries: 0, body: '', journal: null });
const resolveSoon = <T>(work: Promise<T>): Promise<T | 'pending'> =>
  Promise.race([work, new Promise<'pending'>((resolve) => setImmediate(() => resolve('pending')))]);

describe('job claims', () => {
  let waiting: string[] = [];
  let claimed: { limit: number; token: string; lease: number }[] = [];
  let released: (readonly JobLease[])[] = [];
  /** Settles the claim that is under way. */
  let answer: (() => void) | null = null;
  let isSlow = false;
  beforeEach(() => {
    [waiting, claimed, released, answer, isSlow] = [[], [], [], null, false];
  });

  const create = (limit: number): Claims =>
    createClaims(
      {
        async claimJobs(token, most, lease) {
          claimed.push({ limit: most, token, lease });
          if (isSlow) await new Promise<void>((resolve) => (answer = resolve));
          return waiting.splice(0, most).map(job);
        },
        async release(held) {
          await new Promise((resolve) => setImmediate(resolve));
          released.push(held);
        },
      },
      limit,
      LEASE,
    );
  const next = async (claims: Claims): Promise<string | undefined> => (await claims.next())?.id;

  it('take as many jobs as may run, hand them out in order, and take no more while they run', async () => {
    waiting = ['a', 'b', 'c'];
    const claims = create(2);
    expect(claims.countFree()).to.equal(2);
    expect([await next(claims), claims.countFree()]).to.deep.equal(['a', 0]);
    expect([await next(claims), await next(claims)]).to.deep.equal(['b', undefined]);
    expect(claimed.map(({ limit, lease }) => [limit, lease])).to.deep.equal([[2, LEASE]]);
    claims.releaseSlot();
    expect(claims.countFree()).to.equal(1);
    expect(await next(claims)).to.equal('c');
    expect(claimed.map(({ limit }) => limit)).to.deep.equal([2, 1]);
    expect(new Set(claimed.map(({ token }) => token)).size).to.equal(2);
  });

  it('have tokens that no other process has', async () => {
    await next(create(1));
    await next(create(1));
    expect(claimed[0]?.token).not.to.equal(claimed[1]?.token);
  });

  it('query once if nothing waits', async () => {
    const claims = create(3);
    expect(await next(claims)).to.equal(undefined);
    expect([claimed.length, claims.countFree()]).to.deep.equal([1, 3]);
  });

  it('are one statement for all that request jobs at the same time, and a new one for a later call', async () => {
    isSlow = true;
    const claims = create(10);
    const first = [next(claims), next(claims)];
    await resolveSoon(Promise.all(first));
    waiting = ['a', 'b', 'c'];
    expect(claimed).to.have.length(1);
    answer?.();
    expect(await Promise.all(first)).to.deep.equal(['a', 'b']);
    expect(await next(claims)).to.equal('c');
    expect(claimed).to.have.length(1);
    const later = next(claims);
    await resolveSoon(later);
    const latest = next(claims);
    waiting = ['d'];
    answer?.();
    expect(await later).to.equal('d');
    // A job added after the statement began may be missing in it: the later call queries again.
    expect([await resolveSoon(latest), claimed.length]).to.deep.equal(['pending', 3]);
    waiting = ['e'];
    answer?.();
    expect([await latest, claimed.length]).to.deep.equal(['e', 3]);
  });

  it('reject with the store, and begin again with the next call', async () => {
    let fails = true;
    const claims = createClaims(
      {
        claimJobs: () => (fails ? Promise.reject(new Error('unavailable')) : Promise.resolve([job('a')])),
        release: () => Promise.resolve(),
      },
      1,
      LEASE,
    );
    const failure: unknown = await claims.next().catch((error: unknown) => error);
    expect(failure).to.have.property('message', 'unavailable');
    fails = false;
    expect(await next(claims)).to.equal('a');
  });

  it('return unused jobs when they stop, and take nothing more', async () => {
    waiting = ['a', 'b', 'c'];
    const claims = create(3);
    await next(claims);
    await claims.stop();
    expect(released.map((held) => held.map(({ id }) => id))).to.deep.equal([['b', 'c']]);
    waiting = ['d'];
    expect([await next(claims), claims.countFree(), claimed.length]).to.deep.equal([undefined, 0, 1]);
    await claims.stop();
    expect(released).to.have.length(1);
  });

  it('return the jobs of a claim that was in progress when they stopped', async () => {
    isSlow = true;
    waiting = ['a'];
    const claims = create(1);
    const taking = next(claims);
    await resolveSoon(taking);
    const stopping = claims.stop();
    expect(await resolveSoon(stopping)).to.equal('pending');
    answer?.();
    await stopping;
    expect(await taking).to.equal(undefined);
    expect(released.map((held) => held.map(({ id }) => id))).to.deep.equal([['a']]);
  });

  it('are finished when all that was handed out has ended, immediately if nothing was', async () => {
    waiting = ['a', 'b'];
    const claims = create(2);
    await claims.waitUntilIdle();
    await next(claims);
    await next(claims);
    claims.releaseSlot();
    const settled = claims.waitUntilIdle();
    expect(await resolveSoon(settled)).to.equal('pending');
    claims.releaseSlot();
    expect(await resolveSoon(settled)).to.equal(undefined);
  });

  it('are finished when there is nothing left to wait for', async () => {
    waiting = ['a'];
    const claims = create(1);
    await next(claims);
    const settled = claims.waitUntilIdle();
    claims.stopWaiting();
    expect(await resolveSoon(settled)).to.equal(undefined);
    expect(await resolveSoon(claims.waitUntilIdle())).to.equal(undefined);
    claims.releaseSlot();
  });
});
